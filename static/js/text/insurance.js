/** Sentences about insurance: the question, and the result. */
import { gettext } from "../lib/i18n.js";
import { money } from "./format.js";

/** @import { Hand, Rules } from "../model/table_model.js" */

/** What it costs: half of what lies on the hand, in hundredths. @param {Hand} hand */
export function insuranceCost(hand) {
  return Math.floor(hand.stake / 2);
}

/** Whether to insure this hand is to take even money. @param {Hand} hand @param {Rules} rules */
export function isEvenMoney(hand, rules) {
  return rules.even_money && hand.cards.length === 2 && hand.total === 21;
}

/** The question as it is put to the player of this hand. @param {Hand} hand @param {Rules} rules */
export function insuranceQuestion(hand, rules) {
  if (isEvenMoney(hand, rules)) {
    return {
      main: gettext("Take even money?"),
      sub: gettext("Dealer may have blackjack. Win %(stake)s now?", {
        stake: money(hand.stake),
      }),
    };
  }
  return {
    main: gettext("Insurance?"),
    sub: gettext("Half your bet (%(cost)s) pays 2 to 1 if the dealer has blackjack.", {
      cost: money(insuranceCost(hand)),
    }),
  };
}

/**
 * What insurance brought or cost, in hundredths; 0 until it is settled.
 * @param {Wire.PublicInsurance|null|undefined} insurance
 */
export function insuranceNet(insurance) {
  return insurance?.settled ? insurance.payout - insurance.stake : 0;
}

/**
 * "Insurance pays 10", "Insurance costs 5"; "" for who was not insured.
 * @param {Wire.PublicInsurance|null|undefined} insurance
 */
export function insuranceResult(insurance) {
  if (!insurance?.settled || !insurance.stake) return "";
  const net = insuranceNet(insurance);
  return net > 0
    ? gettext("Insurance pays %(net)s", { net: money(net) })
    : gettext("Insurance costs %(net)s", { net: money(-net) });
}

/**
 * What is written at the seat while the dealer has not looked yet; "" for nothing.
 * @param {Wire.PublicInsurance|null} insurance
 */
export function insuranceAtSeat(insurance) {
  return insurance?.stake && !insurance.settled
    ? gettext("Insurance %(stake)s", { stake: money(insurance.stake) })
    : "";
}
