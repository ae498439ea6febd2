/** The sentences of practice: the question, what the answer cost, the figures. */
import { gettext, language } from "../lib/i18n.js";
import { formatDecimals, formatPercent } from "../text/format.js";

/**
 * @typedef {"hit"|"stand"|"double"|"split"|"surrender"|"insure"|"decline"} Action
 * @typedef {"bets"|"hands"|"cards"} Unit
 * @typedef {{hand: string[], up: string, total: number, soft: boolean, asks_insurance?: boolean,
 *   actions: Action[], spot: string}} Question
 */

/** @type {Record<Action, string>} */
const BEST = {
  hit: gettext("Best: hit."),
  stand: gettext("Best: stand."),
  double: gettext("Best: double."),
  split: gettext("Best: split."),
  surrender: gettext("Best: surrender."),
  insure: gettext("Best: insure."),
  decline: gettext("Best: no insurance."),
};
/** @type {Record<Action, string>} */
const RIGHT = {
  hit: gettext("Right: hit."),
  stand: gettext("Right: stand."),
  double: gettext("Right: double."),
  split: gettext("Right: split."),
  surrender: gettext("Right: surrender."),
  insure: gettext("Right: insure."),
  decline: gettext("Right: no insurance."),
};
/** @type {Record<Action, string>} */
const COSTS = {
  hit: gettext("Hitting %(hand)s against %(up)s costs %(cost)s."),
  stand: gettext("Standing on %(hand)s against %(up)s costs %(cost)s."),
  double: gettext("Doubling %(hand)s against %(up)s costs %(cost)s."),
  split: gettext("Splitting %(hand)s against %(up)s costs %(cost)s."),
  surrender: gettext("Surrendering %(hand)s against %(up)s costs %(cost)s."),
  insure: gettext("Insuring %(hand)s costs %(cost)s."),
  decline: gettext("Not insuring %(hand)s costs %(cost)s."),
};
/** @type {Record<Action, string>} */
const SECOND = {
  hit: gettext("Hitting would cost %(cost)s."),
  stand: gettext("Standing would cost %(cost)s."),
  double: gettext("Doubling would cost %(cost)s."),
  split: gettext("Splitting would cost %(cost)s."),
  surrender: gettext("Surrendering would cost %(cost)s."),
  insure: gettext("Insurance would cost %(cost)s."),
  decline: gettext("Not insuring would cost %(cost)s."),
};
/** @type {Record<string, string>} */
const UP_CARDS = {
  A: gettext("an ace"),
  2: gettext("a 2"),
  3: gettext("a 3"),
  4: gettext("a 4"),
  5: gettext("a 5"),
  6: gettext("a 6"),
  7: gettext("a 7"),
  8: gettext("an 8"),
  9: gettext("a 9"),
};
const TEN = gettext("a 10");
/** @type {Record<Unit, string>} */
const AMOUNTS = {
  bets: gettext("%(number)s bets"),
  hands: gettext("%(number)s hands"),
  cards: gettext("%(number)s cards"),
};
/** @type {Record<Unit, string>} */
const LEAST = {
  bets: gettext("less than 0.001 bets"),
  hands: gettext("less than 0.001 hands"),
  cards: gettext("less than 0.001 cards"),
};
const SHOWN = 0.0005;

/** 0.0042 → "0.004", 1.2 → "1.200". @param {number} value @param {number} [places] */
export function formatNumber(value, places = 3) {
  const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
  return Math.abs(value).toLocaleString(language(), digits);
}

/** +0.042, −0.540, 0.000 @param {number} value @param {number} [places] */
export function formatValue(value, places = 3) {
  return formatDecimals(value, places);
}

/** "2.048 bets" @param {number} number @param {Unit} unit */
export function formatAmount(number, unit) {
  return gettext(AMOUNTS[unit], { number: formatNumber(number) });
}

/** "0.004 bets" @param {number} cost @param {Unit} unit */
function formatCost(cost, unit) {
  return cost < SHOWN ? LEAST[unit] : formatAmount(cost, unit);
}

/** "16", "soft 18", "8, 8" @param {Question} question */
function formatHand({ hand, total, soft, spot }) {
  if (spot.startsWith("pairs")) return hand.map(formatRank).join(", ");
  return soft ? gettext("soft %(total)s", { total }) : String(total);
}

/** @param {string} card */
function formatRank([rank]) {
  return rank === "A" ? gettext("ace") : "TJQK".includes(rank) ? "10" : rank;
}

/** @param {string} card */
function formatUpCard([rank]) {
  return UP_CARDS[rank] ?? TEN;
}

/** "16 against a 10" @param {Question} question */
export function formatQuestion(question) {
  return gettext("%(hand)s against %(up)s", {
    hand: formatHand(question),
    up: formatUpCard(question.up),
  });
}

/**
 * What the answer cost, and what was best.
 * @param {Question} question @param {Action|null} chosen null: time is over
 * @param {[Action, number][]} values the best first @param {Unit} unit
 * @returns {{main: string, sub: string}}
 */
export function formatVerdict(question, chosen, values, unit) {
  const [[best, value], [second, next]] = values;
  if (chosen === null) return { main: gettext("Time is up: not answered."), sub: BEST[best] };
  const cost = value - (values.find(([action]) => action === chosen)?.[1] ?? value);
  const named = { hand: formatHand(question), up: formatUpCard(question.up) };
  if (chosen === best) {
    return {
      main: RIGHT[best],
      sub: gettext(SECOND[second], { cost: formatCost(value - next, unit) }),
    };
  }
  return {
    main: gettext(COSTS[chosen], { ...named, cost: formatCost(cost, unit) }),
    sub: BEST[best],
  };
}

/** The heading of the values. @param {Unit} unit */
export function formatUnit(unit) {
  return {
    bets: gettext("Expected, in bets"),
    hands: gettext("Expected, in hands won"),
    cards: gettext("Expected, in cards of the piles"),
  }[unit];
}

/** @param {number} insurance its value @param {Unit} unit */
export function formatInsurance(insurance, unit) {
  const named = { cost: formatCost(Math.abs(insurance), unit) };
  return insurance < 0
    ? gettext("Insurance would cost %(cost)s.", named)
    : gettext("Insurance would win %(cost)s.", named);
}

/** @param {[number, number, number]} chances to win, tie and lose */
export function formatChances([win, tie, lose]) {
  return gettext("wins %(win)s, ties %(tie)s, loses %(lose)s", {
    win: formatPercent(win),
    tie: formatPercent(tie),
    lose: formatPercent(lose),
  });
}
