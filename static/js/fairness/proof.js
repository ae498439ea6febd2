/** Reads the JSON of a proof: docs/fairness.md. */

const MOST_DECKS = 8;
export const FACE_DOWN = "??";
const HALF_A_PAIR = /\p{Surrogate}/u;
const CARD = /^(?:[A23456789TJQK][shdc]|\?\?)$/;

/**
 * @typedef {{decks: number, seats: number, way: "every_round"|"cut_card"|"game_over", isOneToEach: boolean, hole: 0|1}} RuleSet
 *   `hole`: which of the dealer's first two cards lies face down
 * @typedef {{seat: number, commitment: string|null, words: string}} Words `commitment` null: it added nothing
 * @typedef {{round: number, rules: RuleSet|null, decks: number, mostSeats: number, seats: number[],
 *   first: number, cards: string[], to: string[], isBrokenOff: boolean}} DealtRound
 * @typedef {{method: string, isOfFirstMethod: boolean, label: string, decks: number, commitment: string,
 *   secret: string, words: Words[], absent: Words[], rounds: DealtRound[], retiredBecause: string}} Proof
 */

/**
 * The rule sets: how many decks and seats they have, when they shuffle, and how they deal.
 * @type {Record<string, RuleSet>}
 */
const RULE_SETS = {
  casino: { decks: 1, seats: 3, way: "every_round", isOneToEach: true, hole: 1 },
  pot: { decks: 1, seats: 3, way: "every_round", isOneToEach: false, hole: 1 },
  classic: { decks: 1, seats: 3, way: "every_round", isOneToEach: false, hole: 0 },
  "heads-up": { decks: 1, seats: 1, way: "every_round", isOneToEach: false, hole: 0 },
  piles: { decks: 1, seats: 1, way: "game_over", isOneToEach: false, hole: 1 },
  vegas: { decks: 6, seats: 3, way: "cut_card", isOneToEach: true, hole: 1 },
};

/** Something that is no proof at all, as opposed to one that proves foul play. */
export class ProofError extends Error {}

/** @typedef {{text: string, number: number, truth: boolean, list: unknown[], object: Record<string, unknown>}} Kinds */

/** @type {Record<keyof Kinds, (value: unknown) => boolean>} */
const KINDS = {
  text: (value) => typeof value === "string" && !HALF_A_PAIR.test(value),
  number: Number.isSafeInteger,
  truth: (value) => typeof value === "boolean",
  list: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/**
 * @template {keyof Kinds} K
 * @param {unknown} value @param {K} kind
 */
function requireType(value, kind) {
  if (!KINDS[kind](value))
    throw new ProofError(`${JSON.stringify(value)} in the place of a ${kind}`);
  return /** @type {Kinds[K]} */ (value);
}

/**
 * A field of an object that must be there, and be of this kind.
 * @template {keyof Kinds} K
 * @param {unknown} object @param {string} name @param {K} kind
 */
function readField(object, name, kind) {
  const fields = requireType(object, "object");
  if (!Object.hasOwn(fields, name)) throw new ProofError(`no ${name}`);
  return requireType(fields[name], kind);
}

/** @param {object} object @param {string} name @param {number} usual */
function readOptional(object, name, usual) {
  return Object.hasOwn(object, name) ? readField(object, name, "number") : usual;
}

/** @returns {Words} @param {unknown} entry */
function readWords(entry) {
  const isSilent = requireType(entry, "object").commitment === null;
  return {
    seat: readField(entry, "seat", "number"),
    commitment: isSilent ? null : readField(entry, "commitment", "text"),
    words: readField(entry, "words", "text"),
  };
}

/** @returns {DealtRound} @param {unknown} entry */
function readRound(entry) {
  const key = readField(entry, "rules", "text");
  const options = readField(entry, "options", "object");
  const rules = Object.hasOwn(RULE_SETS, key) ? RULE_SETS[key] : null;
  /** @param {string} name */
  const parts = (name) => readField(entry, name, "text").split(" ").filter(Boolean);
  const cards = parts("cards");
  const unknown = cards.find((card) => !CARD.test(card));
  if (unknown) throw new ProofError(`${unknown} is no card`);
  return {
    round: readField(entry, "round", "number"),
    rules,
    decks: readOptional(options, "decks", rules?.decks ?? 0),
    mostSeats: readOptional(options, "seats", rules?.seats ?? 0),
    seats: readField(entry, "seats", "list").map((seat) => requireType(seat, "number")),
    first: readField(entry, "first", "number"),
    cards,
    to: parts("to"),
    isBrokenOff: readField(entry, "broken_off", "truth"),
  };
}

/**
 * @param {unknown} published the parsed JSON @returns {Proof} Throws a ProofError when it is not one.
 */
export function readProof(published) {
  const method = readField(published, "method", "text");
  if (!["card-room-2", "card-room-1"].includes(method))
    throw new ProofError(`unknown method ${method}`);
  const decks = readField(published, "decks", "number");
  if (decks < 1 || decks > MOST_DECKS) throw new ProofError(`${decks} decks`);
  return {
    method,
    isOfFirstMethod: method === "card-room-1",
    label: readField(published, "label", "text"),
    decks,
    commitment: readField(published, "commitment", "text"),
    secret: readField(published, "secret", "text"),
    words: readField(published, "words", "list").map(readWords),
    absent: readField(published, "absent", "list").map((entry) => ({
      seat: readField(entry, "seat", "number"),
      commitment: readField(entry, "commitment", "text"),
      words: "",
    })),
    rounds: readField(published, "rounds", "list").map(readRound),
    retiredBecause: readField(published, "retired_because", "text"),
  };
}
