/** What a round came to, in plain words. */
import { insuranceNet, insuranceResult } from "./insurance.js";
import { capital, counted, money, ordinal, theDealer } from "./words.js";

export const OUTCOME_WORDS = {
  blackjack: "Blackjack", win: "Won", push: "Push", lose: "Lost", bust: "Bust", surrender: "Surrendered",
};

/** What one settled hand of mine came to, as one sentence. */
export function handResult(hand, dealer, rules) {
  const dealers = theDealer(rules);
  const net = rules.stakes ? ` ${money(Math.abs(hand.payout - hand.stake))}` : "";
  const against = dealer.total > 21 ? `${dealers} busts with ${dealer.total}` : `${hand.total} against ${dealers}'s ${dealer.total}`;
  switch (hand.outcome) {
    case "blackjack": return net ? `Blackjack! It pays${net}.` : "Blackjack! You win.";
    case "win": return `You win${net} – ${against}.`;
    case "push": return net ? `Push – your ${money(hand.stake)} comes back.` : `${rules.piles ? "Tie" : "Push"} – ${hand.total} each.`;
    case "bust": return `Bust with ${hand.total}${net && ` –${net} lost`}.`;
    case "surrender": return `You surrender – ${money(hand.payout)} comes back.`;
    default:
      if (isLostTie(hand, dealer, rules)) return `Tie – ${dealers} wins${net && `: you lose${net}`}.`;
      return `You lose${net} – ${hasBlackjack(dealer, rules) ? `${dealers} has blackjack` : against}.`;
  }
}

function hasBlackjack(dealer, rules) {
  return rules.naturals && dealer.cards.length === 2 && dealer.total === 21;
}

export function isWon({ outcome }) {
  return outcome === "win" || outcome === "blackjack";
}

export function isLost({ outcome }) {
  return outcome === "lose" || outcome === "bust" || outcome === "surrender";
}

/** Whether the hand is lost only because a tie is the dealer's. */
export function isLostTie(hand, dealer, rules) {
  return rules.dealer_wins_ties && hand.outcome === "lose" && hand.total === dealer.total;
}

/** What all my hands of a round came to, and my insurance; null until the last one is settled. */
export function roundResult({ hands, insurance }, dealer, rules) {
  if (!hands.length || hands.some((hand) => !hand.outcome)) return null;
  const came = cameTo(roundNet({ hands, insurance }));
  const insured = insuranceResult(insurance);
  if (hands.length === 1) return `${handResult(hands[0], dealer, rules)}${insured && ` ${insured} – ${came}.`}`;
  const text = hands.length === 2 ? ofTwo(hands, rules) : ofMany(hands);
  return `${text}${insured && `. ${insured}`}${rules.stakes ? ` – ${came}` : ""}.`;
}

/** Stakes and payouts of all hands and of the insurance, in hundredths. */
export function roundNet({ hands, insurance }) {
  return hands.reduce((sum, hand) => sum + hand.payout - hand.stake, insuranceNet(insurance));
}

function cameTo(net) {
  if (net === 0) return "you come out even";
  return net > 0 ? `you are ${money(net)} up` : `you are ${money(-net)} down`;
}

/** "First hand wins 10, second loses 10". */
function ofTwo(hands, rules) {
  return capital(hands.map((hand, index) => `${ordinal(index + 1)}${index ? "" : " hand"} ${shortResult(hand, rules)}`).join(", "));
}

/** "Your four hands: 2 won, 1 lost, 1 pushed". */
function ofMany(hands) {
  const won = hands.filter(isWon).length;
  const lost = hands.filter(isLost).length;
  const counts = [[won, "won"], [lost, "lost"], [hands.length - won - lost, "pushed"]];
  return `Your ${counted(hands.length)} hands: ${counts.filter(([number]) => number).map(([number, word]) => `${number} ${word}`).join(", ")}`;
}

function shortResult(hand, rules) {
  const net = rules.stakes ? ` ${money(Math.abs(hand.payout - hand.stake))}` : "";
  if (hand.outcome === "push") return "is a push";
  if (hand.outcome === "bust") return `busts${net && ` and loses${net}`}`;
  return hand.outcome === "lose" ? `loses${net}` : `wins${net}`;
}

const PARTINGS = {
  missed_rounds: "You missed two rounds, so your seat was given up.",
  absent: "You were away for a minute, so your seat was given up.",
  no_answer: "You did not say whether you play again, so your seat was given up.",
};

/** What somebody is told whose seat is free again with these events; "" when there is nothing to tell. */
export function parting(events, you, rules) {
  const left = events.find(({ type, player }) => type === "player_left" && player === you);
  if (!left) return "";
  if (PARTINGS[left.reason]) return PARTINGS[left.reason];
  const ofMine = events.filter(({ seat }) => seat === left.seat);
  const settled = ofMine.filter(({ type }) => type === "hand_settled");
  if (!settled.length || !rules.stakes) return "";
  const insurance = ofMine.find(({ type }) => type === "insurance_settled");
  const net = roundNet({ hands: settled, insurance: insurance && { ...insurance, settled: true } });
  const came = net > 0 ? `won ${money(net)}` : net < 0 ? `lost ${money(-net)}` : "came out even";
  return `You left. Your ${settled.length > 1 ? "hands" : "hand"} ${came}.`;
}
