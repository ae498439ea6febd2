/** The shuffle of a shoe, computed again from what was published. See /fairness/. */

const METHOD = "card-room-1";
const RANGE = 2 ** 32;
const RANKS = "A23456789TJQK";
const SUITS = "shdc";

/** @param {string} hex */
function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function hexOf(buffer) {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** SHA-256 of the secret, in hexadecimal: what was shown before the bets. */
export async function sealOf(secret) {
  return hexOf(await crypto.subtle.digest("SHA-256", bytesOf(secret)));
}

/** The endless stream of 32-bit numbers that secret, label and words give. */
async function* numbers({ secret, label, words }) {
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const start = `${[METHOD, label, ...words.map(([seat, text]) => `${seat}:${text}`)].join("\n")}\n`;
  for (let block = 0; ; block += 1) {
    const mac = new DataView(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${start}${block}`)));
    for (let at = 0; at < 32; at += 4) yield mac.getUint32(at);
  }
}

/** The cards of the shoe in the order in which they are dealt. @returns {Promise<string[]>} */
export async function shuffled(proof) {
  if (proof.method !== METHOD) throw new Error(`Unknown method: ${proof.method}`);
  const deck = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
  const cards = Array.from({ length: proof.decks }, () => deck).flat();
  const stream = numbers(proof);
  for (let last = cards.length - 1; last > 0; last -= 1) {
    const size = last + 1;
    const fair = RANGE - (RANGE % size);
    let number = (await stream.next()).value;
    while (number >= fair) number = (await stream.next()).value;
    const place = number % size;
    [cards[last], cards[place]] = [cards[place], cards[last]];
  }
  return cards;
}

/** What `dealt` should have been from place `first` on; null when it was. */
export function difference(shoe, { first, cards }) {
  const dealt = cards.split(" ");
  const computed = shoe.slice(first, first + dealt.length);
  return computed.join(" ") === cards ? null : computed.join(" ");
}
