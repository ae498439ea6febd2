/**
 * The check of a shoe: docs/fairness.md lists the reasons, docs/fairness-vectors.json has
 * proofs with their expected faults. The same, in the same order, as tables/engine/provably_fair/proof.py.
 */
import { FACE_DOWN, readProof } from "./proof.js";
import { sha256, sha256Hex, toBytes, toHex } from "./sha256.js";
import { formatLine, getPoints, shuffleShoe } from "./shuffle.js";

const MOST_SEATS = 3;
const MOST_WORDS = 64;
const LABEL = /^shoe:[1-9][0-9]{0,18}$/;
const HASH = /^[0-9a-f]{64}$/;
const PLAIN = /^[ -~]*$/;
/** Why a shoe is retired by the rules, one for each way to shuffle; and why it may be earlier. */
const WHEN_OVER = ["every_round", "cut_card", "game_over"];
const BEFORE_IT_IS_OVER = ["table_empty", "rules_changed", "restored"];

/**
 * @typedef {{reason: string, [value: string]: string|number|undefined}} Fault an error in a proof; fault_text.js has its sentence
 * @import { DealtRound, Proof, RuleSet, Words } from "./proof.js"
 */

/**
 * Nothing when the proof is in order. Throws a ProofError when it is not one.
 * @param {unknown} published
 * @param {{seal?: string, shoe?: string|number, words?: string[]}} seen the seal, the number of the shoe and the words that a player has recorded
 * @returns {Fault[]}
 */
export function findFaults(published, { seal, shoe: number, words = [] } = {}) {
  const proof = readProof(published);
  const shoe = HASH.test(proof.secret) ? shuffleShoe(proof) : [];
  return [
    ...checkObservations(proof, seal?.trim().toLowerCase(), number, words),
    ...checkLabelAndSeal(proof),
    ...checkRounds(proof),
    ...checkWords(proof),
    ...checkAbsent(proof),
    ...(HASH.test(proof.secret)
      ? [...checkRetirement(proof, shoe), ...checkCards(proof, shoe)]
      : []),
  ];
}

/**
 * @param {Proof} proof @param {string|undefined} seal @param {string|number|undefined} number
 * @param {string[]} words
 */
function* checkObservations(proof, seal, number, words) {
  if (seal !== undefined && seal !== proof.commitment)
    yield { reason: "other_seal", seen: seal, seal: proof.commitment };
  if (number !== undefined && proof.label !== `shoe:${number}`)
    yield { reason: "other_label", seen: number, label: proof.label };
  const added = proof.words.map((entry) => entry.words);
  for (const own of words) if (!added.includes(own)) yield { reason: "own_words", words: own };
}

/** @param {Proof} proof */
function* checkLabelAndSeal({ label, secret, commitment }) {
  if (!LABEL.test(label)) yield { reason: "label" };
  if (!HASH.test(secret)) yield { reason: "secret" };
  else if (toHex(sha256(toBytes(secret))) !== commitment) yield { reason: "seal" };
}

/** @param {Proof} proof */
function* checkRounds(proof) {
  if (!proof.rounds.length) yield { reason: "no_rounds" };
  let dealt = 0;
  let before = 0;
  for (const round of proof.rounds) {
    if (round.round <= before) yield { reason: "round_order", round: round.round };
    if (round.first !== dealt)
      yield { reason: "first", round: round.round, first: round.first, dealt };
    yield* checkRound(proof, round);
    dealt = round.first + round.cards.length;
    before = round.round;
  }
}

/** @param {Proof} proof @param {DealtRound} dealt */
function* checkRound(proof, dealt) {
  const { round, rules, decks, mostSeats, seats, cards, isBrokenOff } = dealt;
  if (!rules) {
    yield { reason: "rules", round };
    return;
  }
  if (decks !== proof.decks) yield { reason: "decks", round, decks: proof.decks, by_rules: decks };
  if (!seats.length || !areValidSeats(seats, Math.min(mostSeats, MOST_SEATS)))
    yield { reason: "seats", round };
  const least = 2 * (seats.length + 1);
  if (cards.length < least) yield { reason: "too_few_cards", round, cards: cards.length, least };
  else if (!isDealtInOrder(rules, dealt)) yield { reason: "dealt_to", round };
  if (isBrokenOff && dealt !== proof.rounds.at(-1)) yield { reason: "broken_off", round };
  if (!hasValidHiddenCards(rules, dealt)) yield { reason: "face_down", round };
}

/**
 * Whether no card stayed face down but the hole card, in a round that was broken off before the dealer drew.
 * @param {RuleSet} rules @param {DealtRound} dealt
 */
function hasValidHiddenCards(rules, { cards, to, isBrokenOff }) {
  const hidden = cards.flatMap((card, n) => (card === FACE_DOWN ? [n] : []));
  const dealers = to.flatMap((whose, n) => (whose === "d" ? [n] : []));
  const isBeforeDraw = isBrokenOff && dealers.length === 2;
  return (
    !hidden.length || (isBeforeDraw && hidden.length === 1 && hidden[0] === dealers[rules.hole])
  );
}

/**
 * Whether each got two cards as the rules deal, and later cards went round once.
 * @param {RuleSet} rules @param {DealtRound} dealt
 */
function isDealtInOrder(rules, { seats, cards, to }) {
  const each = [...seats.map(String), "d"];
  const deal = rules.isOneToEach ? [...each, ...each] : each.flatMap((one) => [one, one]);
  const drawn = to.slice(deal.length);
  return (
    to.length === cards.length
    && deal.every((one, n) => to[n] === one)
    && drawn.every((one) => each.includes(one))
    && drawn.join() === [...drawn].sort().join()
  ); // A digit comes before a letter.
}

/** Whether these are numbers of seats, each once, in order. @param {number[]} seats @param {number} most */
function areValidSeats(seats, most) {
  return seats.every((seat, n) => seat >= 1 && seat <= most && (n === 0 || seat > seats[n - 1]));
}

/** @param {Proof} proof */
function* checkWords(proof) {
  const seats = proof.words.map(({ seat }) => seat);
  const first = proof.rounds[0]?.seats ?? [];
  const isRight = proof.isOfFirstMethod
    ? areValidSeats(seats, MOST_SEATS) && seats.every((seat) => first.includes(seat))
    : seats.join() === first.join();
  if (!isRight) yield { reason: "words_seats" };
  for (const entry of proof.words) {
    if (entry.words.length > MOST_WORDS || !PLAIN.test(entry.words))
      yield { reason: "words_text", seat: entry.seat };
    else if (!isCommitted(proof, entry)) yield { reason: "words_commitment", seat: entry.seat };
  }
}

/** @param {Proof} proof @param {Words} entry */
function isCommitted({ isOfFirstMethod }, { seat, commitment, words }) {
  if (isOfFirstMethod) return commitment === null;
  return commitment === null ? words === "" : commitment === sha256Hex(formatLine(seat, words));
}

/** @param {Proof} proof */
function* checkAbsent({ absent, words, isOfFirstMethod }) {
  const seats = absent.map(({ seat }) => seat);
  // Another player with a late commitment may have taken the seat.
  const committed = words.filter(({ commitment }) => commitment !== null).map(({ seat }) => seat);
  const isRight =
    areValidSeats(seats, MOST_SEATS)
    && !seats.some((seat) => committed.includes(seat))
    && absent.every(({ commitment }) => HASH.test(String(commitment)))
    && !(seats.length && isOfFirstMethod);
  if (!isRight) yield { reason: "absent" };
}

/**
 * Check that it was retired when the rules say.
 * @param {Proof} proof @param {string[]} shoe
 */
function* checkRetirement(proof, shoe) {
  for (const [n, after] of proof.rounds.slice(1).entries()) {
    const before = proof.rounds[n];
    if (isOver(proof, shoe, before, after.first) || isOver(proof, shoe, after, after.first))
      yield { reason: "shoe_over", round: after.round };
  }
  const last = proof.rounds.at(-1);
  const why = proof.retiredBecause;
  if (!last) return;
  const isRight = WHEN_OVER.includes(why)
    ? why === last.rules?.way && isOver(proof, shoe, last, last.first + last.cards.length)
    : why === "broken_off"
      ? last.isBrokenOff
      : BEFORE_IT_IS_OVER.includes(why) || (proof.isOfFirstMethod && why === "");
  if (!isRight) yield { reason: "retired" };
}

/**
 * Whether by the rules of `round` no other is dealt after `dealt` cards.
 * @param {Proof} proof @param {string[]} shoe @param {DealtRound} round @param {number} dealt
 */
function isOver(proof, shoe, { rules }, dealt) {
  if (rules?.way === "cut_card") return dealt >= Math.floor((52 * proof.decks * 3) / 4);
  if (rules?.way !== "game_over") return true;
  const rest = shoe.slice(Math.max(dealt, 0));
  return rest.length < 4 || rest.reduce((sum, card) => sum + getPoints(card), 0) < 21;
}

/** @param {Proof} proof @param {string[]} shoe */
function* checkCards(proof, shoe) {
  for (const { round, first, cards } of proof.rounds) {
    const computed = shoe.slice(Math.max(first, 0), Math.max(first, 0) + cards.length);
    const isRight =
      first >= 0
      && computed.length === cards.length
      && cards.every((card, n) => card === FACE_DOWN || card === computed[n]);
    if (!isRight)
      yield { reason: "cards", round, dealt: cards.join(" "), computed: computed.join(" ") };
  }
}
