/** What a hint says: each action's worth on its button, and all of them in a sentence. */
import { gettext } from "../lib/i18n.js";
import { ACTION_NAMES } from "./actions.js";
import { formatDecimals, formatMoney, formatPercent, formatSigned } from "./format.js";

/** @import { Rules } from "../model/table_model.js" */

const PLACES = 2;
/** From this amount on a button has no hundredths; in hundredths. */
const LARGE = 10_000;

/**
 * The decimals of the values: one more where the best two would look equal.
 * @param {Wire.Hint} hint
 */
function getPlaces({ values: [best, next] }) {
  return next && best.value.toFixed(PLACES) === next.value.toFixed(PLACES) ? PLACES + 1 : PLACES;
}

/** The unit of the values. @param {Rules} rules */
function getUnit(rules) {
  if (rules.piles) return gettext("cards");
  return rules.stakes ? gettext("bets") : gettext("hands");
}

/**
 * An action's worth as its button shows it; `unit` is left out where there is little room.
 * @param {Wire.Hint} hint @param {Wire.HintValue} of @param {Rules} rules
 * @returns {{value: string, unit: string, more: string}}
 */
export function formatWorth(hint, { value, money, chances }, rules) {
  return {
    value: formatDecimals(value, getPlaces(hint)),
    unit: getUnit(rules),
    more: chances ? formatChances(chances) : money === null ? "" : formatRoughly(money),
  };
}

/** @param {Wire.Chances} chances */
function formatChances({ win, tie, lose }) {
  return gettext("win %(win)s, tie %(tie)s, lose %(lose)s", {
    win: formatPercent(win),
    tie: formatPercent(tie),
    lose: formatPercent(lose),
  }).replaceAll(/ (?=\d)/g, "\u00a0");
}

/** An amount on a button: a large one without its hundredths. @param {number} money */
function formatRoughly(money) {
  return formatSigned(Math.abs(money) < LARGE ? money : 100 * Math.round(money / 100));
}

/**
 * The whole hint, for screen readers.
 * @param {Wire.Hint} hint @param {Rules} rules @param {Partial<Record<Wire.Action, string>>} labels other names of actions
 */
export function formatHint(hint, rules, labels = {}) {
  const all = hint.values.map((of) => {
    const { value, unit, more } = formatWorth(hint, of, rules);
    const exact = of.money === null ? more : money(of.money);
    const worth = [`${value} ${unit}`, exact].filter(Boolean).join(", ");
    return `${labels[of.action] ?? ACTION_NAMES[of.action] ?? of.action}: ${worth}.`;
  });
  return `${gettext("Hint. The best first.")} ${all.join(" ")}`;
}

/** A net amount in words that every voice reads with its sign. @param {number} amount */
function money(amount) {
  return amount < 0
    ? gettext("you lose %(amount)s on average", { amount: formatMoney(-amount) })
    : gettext("you win %(amount)s on average", { amount: formatMoney(amount) });
}
