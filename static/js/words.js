/** Everything the table says, in plain words. */
import { isUndecided } from "./model.js";

const ORDINALS = ["first", "second", "third", "fourth"];

/** Hundredths as people write them: 1000 → "10", 2250 → "22.50", 1234500 → "12,345". */
export function money(hundredths) {
  const sign = hundredths < 0 ? "−" : "";
  const whole = Math.abs(hundredths);
  const rest = whole % 100;
  return `${sign}${Math.floor(whole / 100).toLocaleString("en")}${rest ? `.${String(rest).padStart(2, "0")}` : ""}`;
}

/** "7 or 17" while an ace can still count as either, else the total. */
export function totalWords({ total, soft }, isOpen) {
  return soft && isOpen ? `${total - 10} or ${total}` : String(total);
}

export function handTotal(table, seat, hand) {
  const held = table.seats[seat - 1].hands[hand - 1];
  const isAsked = table.asked?.seat === seat && table.asked.hand === hand;
  return totalWords(held, isUndecided(table, seat, hand) && !held.outcome && (held.total < 21 || isAsked));
}

/** The dealer's visible total; "1 or 11" under an ace while the other card is face down. */
export function dealerTotal(table) {
  return totalWords(table.dealer, table.phase === "playing" && table.dealer.total < 17);
}

export function limits(stakes) {
  if (!stakes) return "none";
  if (stakes.maximum === null) return `from ${money(stakes.minimum)}`;
  return `${money(stakes.minimum)} – ${money(stakes.maximum)}`;
}

export function ordinal(number) {
  return ORDINALS[number - 1] ?? `${number}th`;
}

/** "Ann", "Ann and Ben", "Ann, Ben and Cy". @param {string[]} names */
export function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

export const OUTCOME_WORDS = { blackjack: "Blackjack", win: "Won", push: "Push", lose: "Lost", bust: "Bust" };

/** What one settled hand of mine came to, as one sentence. */
export function handResult(hand, dealer, rules) {
  const staked = rules.stakes !== null;
  const net = money(Math.abs(hand.payout - hand.stake));
  const busted = dealer.total > 21;
  const against = busted ? `the dealer busts with ${dealer.total}` : `${hand.total} against the dealer's ${dealer.total}`;
  switch (hand.outcome) {
    case "blackjack": return staked ? `Blackjack! It pays ${net}.` : "Blackjack! You win.";
    case "win": return `You win${staked ? ` ${net}` : ""} – ${against}.`;
    case "push": return staked ? `Push – your ${money(hand.stake)} comes back.` : `Push – ${hand.total} each.`;
    case "bust": return `Bust with ${hand.total}${staked ? ` – ${net} lost` : ""}.`;
    default: {
      const isNatural = rules.naturals && dealer.cards.length === 2 && dealer.total === 21;
      const why = isNatural ? "the dealer has blackjack" : against;
      return `You lose${staked ? ` ${net}` : ""} – ${why}.`;
    }
  }
}

/** What all my hands of a round came to, in one line; null until the last one is settled. */
export function roundResult(hands, dealer, rules) {
  if (!hands.length || hands.some((hand) => !hand.outcome)) return null;
  if (hands.length === 1) return handResult(hands[0], dealer, rules);
  const text = hands.map((hand, index) => `${ordinal(index + 1)}${index ? "" : " hand"} ${shortResult(hand, rules)}`).join(", ");
  const net = hands.reduce((sum, hand) => sum + hand.payout - hand.stake, 0);
  const sum = net > 0 ? `you are ${money(net)} up` : net < 0 ? `you are ${money(-net)} down` : "you come out even";
  return `${text[0].toUpperCase()}${text.slice(1)}${rules.stakes ? ` – ${sum}` : ""}.`;
}

function shortResult(hand, rules) {
  const net = rules.stakes ? ` ${money(Math.abs(hand.payout - hand.stake))}` : "";
  if (hand.outcome === "push") return "is a push";
  if (hand.outcome === "bust") return `busts${net && ` and loses${net}`}`;
  return hand.outcome === "lose" ? `loses${net}` : `wins${net}`;
}

/** "Hit, stand or double." @param {string[]} legal */
export function choices(legal) {
  const text = legal.length < 2 ? legal.join("") : `${legal.slice(0, -1).join(", ")} or ${legal.at(-1)}`;
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** What is called out when it is my turn. */
export function turnCall(table) {
  const { seat, hand, legal } = table.asked;
  const which = table.seats[seat - 1].hands.length > 1 ? `, ${ordinal(hand)} hand` : "";
  return `Your turn${which}: ${handTotal(table, seat, hand)} against the dealer's ${dealerTotal(table)}. ${choices(legal)}`;
}

/** What somebody is told whose seat is free again with these events; "" when there is nothing to tell. */
export function parting(events, you, rules) {
  const left = events.find(({ type, player }) => type === "player_left" && player === you);
  if (!left) return "";
  if (left.reason === "missed_rounds") return "You missed two rounds, so your seat was given up.";
  if (left.reason === "absent") return "You were away for a minute, so your seat was given up.";
  const settled = events.filter(({ type, seat }) => type === "hand_settled" && seat === left.seat);
  if (!settled.length || !rules.stakes) return "";
  const net = settled.reduce((sum, hand) => sum + hand.payout - hand.stake, 0);
  const came = net > 0 ? `won ${money(net)}` : net < 0 ? `lost ${money(-net)}` : "came out even";
  return `You left. Your ${settled.length > 1 ? "hands" : "hand"} ${came}.`;
}
