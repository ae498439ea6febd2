/** Insurance against the dealer's blackjack: the question, and what came of it. */
import { money } from "./words.js";

/** What it costs: half of what lies on the hand, in hundredths. */
export function insuranceCost(hand) {
  return Math.floor(hand.stake / 2);
}

/** The question as it is put to the player of this hand. */
export function insuranceQuestion(hand, rules) {
  const isBlackjack = hand.cards.length === 2 && hand.total === 21;
  if (isBlackjack && rules.even_money) {
    return {
      main: "Even money?",
      sub: `You have blackjack. Insure, and you win ${money(hand.stake)}, 1 to 1, for sure.`,
    };
  }
  return {
    main: "Insurance?",
    sub: `Half your stake, ${money(insuranceCost(hand))}, pays 2 to 1 if the dealer has blackjack.`,
  };
}

/** What insurance brought or cost, in hundredths; 0 until it is settled. */
export function insuranceNet(insurance) {
  return insurance?.settled ? insurance.payout - insurance.stake : 0;
}

/** "Insurance pays 10", "Insurance costs 5"; "" for who was not insured. */
export function insuranceResult(insurance) {
  if (!insurance?.settled || !insurance.stake) return "";
  const net = insuranceNet(insurance);
  return net > 0 ? `Insurance pays ${money(net)}` : `Insurance costs ${money(-net)}`;
}

/** What is written at the seat while the dealer has not looked yet; "" for nothing. */
export function insuranceAtSeat(insurance) {
  return insurance?.stake && !insurance.settled ? `Insurance ${money(insurance.stake)}` : "";
}
