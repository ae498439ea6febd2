/** Sentences for the outcome of a round. */
import { fill, gettext, ngettext } from "../lib/i18n.js";
import { FACE_DOWN } from "../model/card_values.js";
import { formatCount, formatMoney } from "./format.js";
import { formatInsuranceResult, getInsuranceNet } from "./insurance.js";

/**
 * @import { EventFields } from "../model/apply_event.js"
 * @import { Dealer, Hand, Rules, Seat } from "../model/table_model.js"
 * @typedef {Pick<Seat, "hands"|"insurance">} Played
 */

/** @type {Record<Wire.Outcome, string>} */
export const OUTCOME_WORDS = {
  blackjack: gettext("Blackjack"),
  win: gettext("Won"),
  push: gettext("Push"),
  lose: gettext("Lost"),
  bust: gettext("Bust"),
  surrender: gettext("Surrendered"),
};

const WON = gettext("You win with %(total)s against the dealer's %(dealer)s.");
const WON_STAKED = gettext("You win %(net)s with %(total)s against the dealer's %(dealer)s.");
const WON_AT_ONCE = gettext("You win with %(total)s.");
const WON_AT_ONCE_STAKED = gettext("You win %(net)s with %(total)s.");
const WON_BY_BUST = gettext("You win – the dealer busts with %(dealer)s.");
const WON_BY_BUST_STAKED = gettext("You win %(net)s – the dealer busts with %(dealer)s.");
const LOST = gettext("You lose with %(total)s against the dealer's %(dealer)s.");
const LOST_STAKED = gettext("You lose %(net)s with %(total)s against the dealer's %(dealer)s.");
const LOST_TO_BLACKJACK = gettext("You lose %(net)s – the dealer has blackjack.");
const LOST_TIE = gettext("Tie – the dealer wins: you lose %(net)s.");
const PUSHED = gettext("Push – %(total)s each.");
const PUSHED_STAKED = gettext("Push – your %(stake)s is returned.");
const TIED = gettext("Tie – %(total)s each.");
const BUST = gettext("Bust with %(total)s.");
const BUST_STAKED = gettext("Bust with %(total)s – you lose %(net)s.");
const SURRENDERED = gettext("You surrender – %(payout)s is returned.");
const BLACKJACK = gettext("Blackjack! You win %(net)s.");

/**
 * The result of one of my settled hands, as one sentence.
 * @param {Hand} hand @param {Dealer} dealer @param {Rules} rules
 */
export function formatHandResult(hand, dealer, rules) {
  const net = formatMoney(Math.abs(hand.payout - hand.stake));
  const values = {
    net,
    stake: formatMoney(hand.stake),
    payout: formatMoney(hand.payout),
    total: hand.total,
    dealer: dealer.total,
  };
  return fill(formatResultSentence(hand, dealer, rules), values);
}

/** @param {Hand} hand @param {Dealer} dealer @param {Rules} rules */
function formatResultSentence(hand, dealer, rules) {
  switch (hand.outcome) {
    case "blackjack":
      return BLACKJACK;
    case "win":
      // A 21 that wins at once is settled before the dealer's hole card is turned over.
      if (dealer.cards.includes(FACE_DOWN)) return rules.stakes ? WON_AT_ONCE_STAKED : WON_AT_ONCE;
      if (dealer.total > 21) return rules.stakes ? WON_BY_BUST_STAKED : WON_BY_BUST;
      return rules.stakes ? WON_STAKED : WON;
    case "push":
      if (rules.piles) return TIED;
      return rules.stakes ? PUSHED_STAKED : PUSHED;
    case "bust":
      return rules.stakes ? BUST_STAKED : BUST;
    case "surrender":
      return SURRENDERED;
    default:
      if (isLostTie(hand, dealer, rules)) return LOST_TIE;
      if (hasBlackjack(dealer, rules)) return LOST_TO_BLACKJACK;
      return rules.stakes ? LOST_STAKED : LOST;
  }
}

/** @param {Dealer} dealer @param {Rules} rules */
function hasBlackjack(dealer, rules) {
  return rules.naturals && dealer.cards.length === 2 && dealer.total === 21;
}

/** @param {Pick<Hand, "outcome">} hand */
export function isWon({ outcome }) {
  return outcome === "win" || outcome === "blackjack";
}

/** @param {Pick<Hand, "outcome">} hand */
export function isLost({ outcome }) {
  return outcome === "lose" || outcome === "bust" || outcome === "surrender";
}

/**
 * Whether the hand is lost only because a tie is the dealer's.
 * @param {Hand} hand @param {Dealer} dealer @param {Rules} rules
 */
export function isLostTie(hand, dealer, rules) {
  return rules.dealer_wins_ties && hand.outcome === "lose" && hand.total === dealer.total;
}

/**
 * The result of all my hands of a round, with insurance; null until the last one is settled.
 * @param {Played} played @param {Dealer} dealer @param {Rules} rules
 */
export function formatRoundResult({ hands, insurance }, dealer, rules) {
  if (!hands.length || hands.some((hand) => !hand.outcome)) return null;
  const came = formatOutcome(roundNet({ hands, insurance }));
  const insured = formatInsuranceResult(insurance);
  if (hands.length > 1) {
    const each = hands.length === 2 ? formatTwoHands(hands) : formatManyHands(hands);
    return `${insured ? `${each}. ${insured}` : each} – ${came}.`;
  }
  const result = formatHandResult(hands[0], dealer, rules);
  return insured ? `${result} ${insured} – ${came}.` : result;
}

/** What all my hands came to, after the result of each; "" until the last one is settled. @param {Played} played */
export function formatTotal(played) {
  if (played.hands.some((hand) => !hand.outcome)) return "";
  return gettext("In all: %(came)s.", { came: formatOutcome(roundNet(played)) });
}

/**
 * Stakes and payouts of all hands and of the insurance, in hundredths.
 * @param {{hands: Pick<Hand, "stake"|"payout">[], insurance?: Wire.PublicInsurance|null}} played
 */
export function roundNet({ hands, insurance }) {
  return hands.reduce((sum, hand) => sum + hand.payout - hand.stake, getInsuranceNet(insurance));
}

/**
 * My net result of the round, when this event settles the last of `mine`; else null.
 * @param {EventFields} event @param {Played & {seat: number}|undefined} mine @param {Rules} rules
 */
export function getSettledNet(event, mine, rules) {
  if (
    event.type !== "hand_settled"
    || !mine
    || event.seat !== mine.seat
    || mine.hands.some((hand) => !hand.outcome)
  )
    return null;
  if (rules.stakes) return roundNet(mine);
  return mine.hands.filter(isWon).length - mine.hands.filter(isLost).length;
}

/** @param {number} net */
function formatOutcome(net) {
  if (net === 0) return gettext("you break even");
  return net > 0
    ? gettext("you are %(net)s up", { net: formatMoney(net) })
    : gettext("you are %(net)s down", { net: formatMoney(-net) });
}

/**
 * Of the two hands of a split, in one sentence: what is said of the first, and what of the second.
 * @type {Record<string, string[]>}
 */
const OF_TWO = {
  win: [gettext("First hand wins %(net)s"), gettext("second wins %(net)s")],
  lose: [gettext("First hand loses %(net)s"), gettext("second loses %(net)s")],
  bust: [gettext("First hand busts and loses %(net)s"), gettext("second busts and loses %(net)s")],
  push: [gettext("First hand is a push"), gettext("second is a push")],
};

/** "First hand wins 10, second loses 10". @param {Hand[]} hands */
function formatTwoHands(hands) {
  return hands
    .map(({ outcome, payout, stake }, index) =>
      fill(OF_TWO[`${outcome}`][index], { net: formatMoney(Math.abs(payout - stake)) }),
    )
    .join(", ");
}

/** "Your four hands: 2 won, 1 lost, 1 pushed". @param {Hand[]} hands */
function formatManyHands(hands) {
  const won = hands.filter(isWon).length;
  const lost = hands.filter(isLost).length;
  const pushed = hands.length - won - lost;
  const counts = [
    won && ngettext("%(number)s won", "%(number)s won", won),
    lost && ngettext("%(number)s lost", "%(number)s lost", lost),
    pushed && ngettext("%(number)s pushed", "%(number)s pushed", pushed),
  ];
  return gettext("Your %(number)s hands: %(counts)s", {
    number: formatCount(hands.length),
    counts: counts.filter(Boolean).join(", "),
  });
}
