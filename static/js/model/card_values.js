/** The values of cards. */

/** A card that is not turned over. */
export const FACE_DOWN = "??";

/**
 * The total of face-up cards by the rules: one ace counts 11 if possible.
 * @param {string[]} cards
 * @returns {{total: number, soft: boolean}}
 */
export function countPoints(cards) {
  const ranks = cards.filter((card) => card !== FACE_DOWN).map((card) => card[0]);
  const hard = ranks.reduce((sum, rank) => sum + points(rank), 0);
  const soft = ranks.includes("A") && hard <= 11;
  return { total: soft ? hard + 10 : hard, soft };
}

/** @param {string} rank */
function points(rank) {
  if (rank === "A") return 1;
  return /\d/.test(rank) ? Number(rank) : 10;
}
