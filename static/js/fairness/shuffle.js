/** Computes the shuffle of a shoe from its proof: docs/fairness.md, "The shuffle". */
import { hmac, toBytes } from "./sha256.js";

/** @import { Proof } from "./proof.js" */

const RANGE = 2 ** 32;
const RANKS = "A23456789TJQK";
const SUITS = "shdc";
const DECK = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));

/**
 * The line that the words of a seat add; its SHA-256 is the commitment of the seat.
 * @param {number} seat @param {string} words
 */
export const formatLine = (seat, words) => `${seat}:${words}`;

/** The words that were mixed in. @param {Proof} proof */
function mixWords({ words, isOfFirstMethod }) {
  return words.filter(({ commitment }) => commitment !== null || isOfFirstMethod);
}

/**
 * The endless stream of 32-bit numbers that secret, label and words give.
 * @param {Proof} proof @returns {Generator<number, never>}
 */
function* generateNumbers(proof) {
  const key = toBytes(proof.secret);
  const lines = mixWords(proof).map(({ seat, words }) => formatLine(seat, words));
  const start = [proof.method, proof.label, ...lines, ""].join("\n");
  for (let block = 0; ; block += 1) {
    const mac = new DataView(hmac(key, new TextEncoder().encode(`${start}${block}`)).buffer);
    for (let at = 0; at < 32; at += 4) yield mac.getUint32(at);
  }
}

/** The cards of the shoe in the order in which they are dealt. @param {Proof} proof @returns {string[]} */
export function shuffleShoe(proof) {
  const cards = Array.from({ length: proof.decks }, () => DECK).flat();
  const stream = generateNumbers(proof);
  for (let last = cards.length - 1; last > 0; last -= 1) {
    const size = last + 1;
    const fair = RANGE - (RANGE % size);
    let number = stream.next().value;
    while (number >= fair) number = stream.next().value;
    const place = number % size;
    [cards[last], cards[place]] = [cards[place], cards[last]];
  }
  return cards;
}

/** The points of a card: an ace 11. @param {string} card */
export function getPoints(card) {
  const number = Number(card[0]);
  return number || (card[0] === "A" ? 11 : 10);
}
