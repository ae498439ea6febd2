/** Sentences that ask the player, for the status line and for screen readers. */
import { fill, gettext } from "../lib/i18n.js";
import { askedOf, asksInsurance } from "../model/table_model.js";
import { byDealer, capital, dealerTotal, handTotal, listed, ordinal } from "./format.js";
import { insuranceQuestion } from "./insurance.js";

/** @import { Table, Rules } from "../model/table_model.js" */

/** @type {[string, string]} */
const AGAINST = [
  gettext("%(total)s against the dealer's %(dealer)s"),
  gettext("%(total)s against the dealer's %(dealer)s"),
];
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
 * @param {Table} table @param {Rules} rules
 * @returns {{main: string, sub: string}}
 */
export function question(table, rules) {
  const { seat, hand } = askedOf(table);
  const { hands } = table.seats[seat - 1];
  if (asksInsurance(table)) return insuranceQuestion(hands[hand - 1], rules);
  const main =
    hands.length > 1
      ? gettext("Your turn – %(hand)s hand", { hand: ordinal(hand) })
      : gettext("Your turn");
  return {
    main,
    sub: fill(byDealer(rules, ...AGAINST), {
      total: handTotal(table, seat, hand),
      dealer: dealerTotal(table, rules),
    }),
  };
}

/**
 * The same with what can be done, for who cannot see the buttons.
 * @param {Table} table @param {Rules} rules
 */
export function questionCall(table, rules) {
  const choices = askedOf(table).legal.map((action) => ACTIONS[action] ?? action);
  return `${called(table, question(table, rules))} ${capital(listed(choices, gettext("%(names)s or %(last)s")))}.`;
}

/** @param {Table} table @param {{main: string, sub: string}} question */
function called(table, { main, sub }) {
  const { seat, hand } = askedOf(table);
  if (asksInsurance(table)) return `${main} ${sub}`;
  if (table.seats[seat - 1].hands.length === 1) return gettext("Your turn: %(sub)s.", { sub });
  return gettext("Your turn, %(hand)s hand: %(sub)s.", { hand: ordinal(hand), sub });
}

/** After a round without stakes: who does not answer in time loses the seat. */
export const AGAIN = gettext("Play again?");
export const AGAIN_HURRY = gettext("Answer before time runs out to keep your seat.");
