/** The rules of a table with stakes, as its page gets them. */

/** @type {Wire.TableRules} */
export const RULES = {
  key: "casino",
  title: "Casino",
  stakes: { minimum: 1_000, maximum: 50_000, unit: 100 },
  naturals: true,
  matched: false,
  piles: false,
  again: false,
  insurance: false,
  even_money: false,
  surrender: false,
  dealer_wins_ties: false,
  hits_soft_17: false,
  long_shoe: false,
  seats: 3,
  twenty_one_stands: true,
};
