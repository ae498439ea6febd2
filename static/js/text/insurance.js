/** Sentences about insurance: the question, and the result. */
import { gettext } from "../lib/i18n.js";
import { formatMoney } from "./format.js";

/** @import { Hand, Rules } from "../model/table_model.js" */

/** The cost: half of the hand's stake, in hundredths. @param {Hand} hand */
export function getInsuranceCost(hand) {
  return Math.floor(hand.stake / 2);
}

/** Whether to insure this hand is to take even money. @param {Hand} hand @param {Rules} rules */
export function isEvenMoney(hand, rules) {
  return rules.even_money && hand.cards.length === 2 && hand.total === 21;
}

/** The question as it is put to the player of this hand. @param {Hand} hand @param {Rules} rules */
export function formatInsuranceQuestion(hand, rules) {
  if (isEvenMoney(hand, rules)) {
    return {
      main: gettext("Take even money?"),
      sub: gettext("Dealer may have blackjack. Win %(stake)s now?", {
        stake: formatMoney(hand.stake),
      }),
    };
  }
  return {
    main: gettext("Insurance?"),
    sub: gettext("Half your bet (%(cost)s) pays 2 to 1 if the dealer has blackjack.", {
      cost: formatMoney(getInsuranceCost(hand)),
    }),
  };
}

/**
 * What I have answered, while the others are still asked; "" if this page does not know.
 * @param {Hand} hand @param {Wire.You["insurance"]} answer @param {Rules} rules
 */
export function insuranceAnswer(hand, answer, rules) {
  if (answer === "decline") return gettext("You decline insurance.");
  if (answer !== "insure") return "";
  return isEvenMoney(hand, rules)
    ? gettext("You take even money.")
    : gettext("You insure for %(stake)s.", { stake: formatMoney(getInsuranceCost(hand)) });
}

/**
 * The net result of insurance, in hundredths; 0 until it is settled.
 * @param {Wire.PublicInsurance|null|undefined} insurance
 */
export function getInsuranceNet(insurance) {
  return insurance?.settled ? insurance.payout - insurance.stake : 0;
}

/**
 * "Insurance pays 10", "Insurance costs 5"; "" without insurance.
 * @param {Wire.PublicInsurance|null|undefined} insurance
 */
export function formatInsuranceResult(insurance) {
  if (!insurance?.settled || !insurance.stake) return "";
  const net = getInsuranceNet(insurance);
  return net > 0
    ? gettext("Insurance pays %(net)s", { net: formatMoney(net) })
    : gettext("Insurance costs %(net)s", { net: formatMoney(-net) });
}

/**
 * The label at the seat before the dealer's check; "" for none.
 * @param {Wire.PublicInsurance|null} insurance
 */
export function findInsurance(insurance) {
  return insurance?.stake && !insurance.settled
    ? gettext("Insurance %(stake)s", { stake: formatMoney(insurance.stake) })
    : "";
}
