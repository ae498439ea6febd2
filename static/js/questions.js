/** What the player is asked, in words: for the status line, and called out. */
import { insuranceQuestion } from "./insurance.js";
import { asksInsurance } from "./model.js";
import { capital, dealerTotal, handTotal, listed, ordinal, theDealer } from "./words.js";

/**
 * What the hand that is asked has to decide.
 * @param {import("./model.js").Table} table
 * @returns {{main: string, sub: string}}
 */
export function question(table, rules) {
  const { seat, hand } = table.asked;
  const { hands } = table.seats[seat - 1];
  if (asksInsurance(table)) return insuranceQuestion(hands[hand - 1], rules);
  const which = hands.length > 1 ? ` – ${ordinal(hand)} hand` : "";
  return {
    main: `Your turn${which}`,
    sub: `${handTotal(table, seat, hand)} against ${theDealer(rules)}'s ${dealerTotal(table, rules)}`,
  };
}

/** The same with what can be done, for who cannot see the buttons. */
export function questionCall(table, rules) {
  const { main, sub } = question(table, rules);
  const asked = asksInsurance(table) ? `${main} ${sub}` : `${main.replace(" –", ",")}: ${sub}.`;
  return `${asked} ${capital(listed(table.asked.legal, "or"))}.`;
}

/** After a round without stakes: who does not answer in time loses the seat. */
export const AGAIN = "Play again?";
export const AGAIN_HURRY = "Who does not answer gives the seat up.";
