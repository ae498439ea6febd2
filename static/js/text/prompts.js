/** Sentences that ask the player, for the status line and for screen readers. */
import { gettext, ngettext } from "../lib/i18n.js";
import { asksInsurance, getAsked } from "../model/table_model.js";
import {
  capitalize,
  formatDealerTotal,
  formatHandTotal,
  formatList,
  formatOrdinal,
} from "./format.js";
import { formatInsuranceQuestion } from "./insurance.js";

/** @import { Table, Rules } from "../model/table_model.js" */

/** @type {Record<Wire.Action, string>} */
const ACTIONS = {
  hit: gettext("hit"),
  stand: gettext("stand"),
  double: gettext("double"),
  split: gettext("split"),
  surrender: gettext("surrender"),
  insure: gettext("insure"),
  decline: gettext("decline"),
};

/**
 * What the hand that is asked has to decide.
 * @param {Table} table @param {string|null} you the player asked @param {Rules} rules
 * @returns {{main: string, sub: string}}
 */
export function question(table, you, rules) {
  const { seat, hand } = getAsked(table, you);
  const { hands } = table.seats[seat - 1];
  if (asksInsurance(table)) return formatInsuranceQuestion(hands[hand - 1], rules);
  const main =
    hands.length > 1
      ? gettext("Your turn – %(hand)s hand", { hand: formatOrdinal(hand) })
      : gettext("Your turn");
  const total = formatHandTotal(table, seat, hand);
  const sub =
    table.dealer.total === 11 && table.dealer.soft
      ? gettext("%(total)s against the dealer's ace", { total })
      : gettext("%(total)s against the dealer's %(dealer)s", {
          total,
          dealer: formatDealerTotal(table, rules),
        });
  return { main, sub };
}

/**
 * The same with the legal actions, for screen readers.
 * @param {Table} table @param {string|null} you the player asked @param {Rules} rules
 */
export function questionCall(table, you, rules) {
  const choices = getAsked(table, you).legal.map((action) => ACTIONS[action] ?? action);
  return `${called(table, you, question(table, you, rules))} ${capitalize(formatList(choices, gettext("%(names)s or %(last)s")))}.`;
}

/** @param {Table} table @param {string|null} you @param {{main: string, sub: string}} question */
function called(table, you, { main, sub }) {
  const { seat, hand } = getAsked(table, you);
  if (asksInsurance(table))
    return `${gettext("You have %(total)s.", { total: formatHandTotal(table, seat, hand) })} ${main} ${sub}`;
  if (table.seats[seat - 1].hands.length === 1) return gettext("Your turn: %(sub)s.", { sub });
  return gettext("Your turn, %(hand)s hand: %(sub)s.", { hand: formatOrdinal(hand), sub });
}

/** After a round without stakes: a player without an answer in time loses the seat. */
export const AGAIN = gettext("Play again?");
export const AGAIN_HURRY = gettext("Answer before time runs out to keep your seat.");
/** The same for screen readers. @param {number} seconds */
export const againCall = (seconds) =>
  `${AGAIN} ${gettext("Answer within %(seconds)s seconds to keep your seat.", { seconds })} ${gettext("Yes or no?")}`;
/** @param {number} seconds */
export const betCall = (seconds) =>
  ngettext("Place your bet: %(seconds)s second.", "Place your bet: %(seconds)s seconds.", seconds, {
    seconds,
  });
export const MISSED = gettext("You missed this round. Miss one more and you'll lose your seat.");
