/** Formats amounts, totals and lists. */
import { fill, gettext, language, ngettext } from "../lib/i18n.js";
import { isUndecided } from "../model/table_model.js";

/** @import { Rules, Table } from "../model/table_model.js" */

const ORDINALS = [gettext("first"), gettext("second"), gettext("third"), gettext("fourth")];
const NUMBERS = [gettext("no"), gettext("one"), gettext("two"), gettext("three"), gettext("four")];

/**
 * What stands between thousands and before decimals, by language; in the others "," and ".".
 * @type {Record<string, [string, string]>}
 */
const SEPARATORS = { de: [".", ","], es: [".", ","], fr: ["\u202f", ","] };

/**
 * Hundredths as people write them: 1000 → "10", 2250 → "22.50", 1234500 → "12,345"; in German
 * "22,50" and "12.345".
 * @param {number} hundredths
 */
export function formatMoney(hundredths) {
  const sign = hundredths < 0 ? "−" : "";
  const whole = Math.abs(hundredths);
  const rest = whole % 100;
  const [thousands, decimals] = SEPARATORS[language()] ?? [",", "."];
  const units = Math.floor(whole / 100)
    .toLocaleString("en")
    .replaceAll(",", thousands);
  return `${sign}${units}${rest ? `${decimals}${String(rest).padStart(2, "0")}` : ""}`;
}

/**
 * A number with its sign and these decimals: 0.118 → "+0.12", in German "+0,12".
 * @param {number} number @param {number} places
 */
export function formatDecimals(number, places) {
  const digits = Math.abs(number).toFixed(places);
  const point = (SEPARATORS[language()] ?? [",", "."])[1];
  const sign = Number(digits) === 0 ? "" : number < 0 ? "−" : "+";
  return sign + digits.replace(".", point);
}

/** A net result: 3500 → "+35", -2000 → "−20", 0 → "0". @param {number} hundredths */
export function formatSigned(hundredths) {
  return `${hundredths > 0 ? "+" : ""}${formatMoney(hundredths)}`;
}

/**
 * The stake of a hand; where the dealer matches it, the pot of both.
 * @param {number} stake @param {Rules} rules
 */
export function formatStake(stake, rules) {
  return rules.matched
    ? gettext("Pot %(amount)s", { amount: formatMoney(2 * stake) })
    : formatMoney(stake);
}

/**
 * "soft 17" while an ace can still count as one, else the total. 21 is 21.
 * @param {{total: number, soft: boolean}} hand @param {boolean} isOpen
 */
export function formatTotal({ total, soft }, isOpen) {
  return soft && isOpen && total < 21 ? gettext("soft %(total)s", { total }) : String(total);
}

/** @param {Table} table @param {number} seat @param {number} hand */
export function formatHandTotal(table, seat, hand) {
  const handState = table.seats[seat - 1].hands[hand - 1];
  return formatTotal(handState, isUndecided(table, seat, hand) && !handState.outcome);
}

/**
 * The dealer's visible total; "soft 16" while more cards may follow, and "11" for an ace alone.
 * @param {Table} table @param {Rules} rules
 */
export function formatDealerTotal(table, rules) {
  const { total } = table.dealer;
  const mayDraw = total < 17 || (total === 17 && rules.hits_soft_17);
  return formatTotal(table.dealer, table.phase === "playing" && mayDraw && total > 11);
}

/** @param {Pick<Wire.Stakes, "minimum"|"maximum">} stakes */
export function formatLimits(stakes) {
  if (stakes.maximum === null)
    return gettext("from %(least)s", { least: formatMoney(stakes.minimum) });
  return `${formatMoney(stakes.minimum)} – ${formatMoney(stakes.maximum)}`;
}

/** 4 → "four", for counting hands. @param {number} number */
export function formatCount(number) {
  return NUMBERS[number] ?? String(number);
}

/** 2 → "second", for telling hands apart. @param {number} number */
export function formatOrdinal(number) {
  return ORDINALS[number - 1] ?? String(number);
}

/** "Ann", "Ann and Ben", "Ann, Ben and Cy". @param {string[]} names */
export function formatList(names, template = gettext("%(names)s and %(last)s")) {
  return names.length < 2
    ? names.join("")
    : fill(template, { names: names.slice(0, -1).join(", "), last: names.at(-1) });
}

/** "1 card", "5 cards". @param {number} cards */
export function formatCardCount(cards) {
  return ngettext("%(number)s card", "%(number)s cards", cards);
}

/** @param {string} text */
export function capitalize(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** 0.426 → "43 %" @param {number} share */
export function formatPercent(share) {
  return `${Math.round(100 * share)}\u00a0%`;
}
