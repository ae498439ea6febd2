/** The values of cards. */

/** A card that is not turned over. */
export const FACE_DOWN = "??";

/**
 * What the cards that lie face up count, as the rules count: one ace as 11 where that fits.
 * @param {string[]} cards
 * @returns {{total: number, soft: boolean}}
 */
export function count(cards) {
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
