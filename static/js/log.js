/** The written log of a round, which is also what a screen reader hears, once and in order. */
import { cardName } from "./cards.js";
import { el } from "./dom.js";
import { handResult, handTotal, money, ordinal, totalWords } from "./words.js";

const MOST_LINES = 80;

/** @param {string} you */
function subject(name, you) {
  return name === you ? "You" : (name ?? "An empty seat");
}

/** The sentence for an event, on the table just after it; "" for what goes without saying. */
export function sentence(event, table, you, rules) {
  const seat = event.seat ? table.seats[event.seat - 1] : null;
  const isYours = Boolean(you) && seat?.player === you;
  const who = subject(event.player ?? seat?.player, you);
  const verb = (plain, third) => (isYours || (you && event.player === you) ? plain : third);
  const which = seat && seat.hands.length > 1 && event.hand ? ` on the ${ordinal(event.hand)} hand` : "";
  const staked = rules.stakes !== null;
  const hand = seat && event.hand ? seat.hands[event.hand - 1] : null;
  switch (event.type) {
    case "card_dealt":
      return `${who} ${verb("get", "gets")} the ${cardName(event.card)}${which}: ${handTotal(table, event.seat, event.hand)}.`;
    case "dealer_card_dealt":
      return event.card
        ? `The dealer takes the ${cardName(event.card)}: ${totalWords(table.dealer, table.dealer.total < 17)}.`
        : "The dealer takes a card, face down.";
    case "hole_card_peeked": return "The dealer checks the hole card: no blackjack.";
    case "hole_card_revealed":
      return `The dealer turns over the ${cardName(event.card)}: ${totalWords(table.dealer, table.dealer.total < 17)}.`;
    case "hand_stood": return `${who} ${verb("stand", "stands")} on ${hand.total}${which}.`;
    case "hand_doubled": return `${who} ${verb("double", "doubles")}${which} for ${money(event.stake)} more.`;
    case "hand_split": return `${who} ${verb("split", "splits")}${staked ? ` for ${money(event.stake)} more` : ""}.`;
    case "hand_settled": {
      if (isYours) return which ? `${cap(ordinal(event.hand))} hand: ${handResult(hand, table.dealer, rules)}` : handResult(hand, table.dealer, rules);
      return othersResult(who, event, hand, which, staked);
    }
    case "player_sat": return `${who} ${verb("take", "takes")} seat ${event.seat}.`;
    case "player_left":
      if (event.reason === "left") return `${who} ${verb("leave", "leaves")} seat ${event.seat}.`;
      return `${who} ${verb("lose", "loses")} seat ${event.seat}: ${event.reason === "absent" ? "away for a minute" : "two rounds missed"}.`;
    case "bet_placed": return staked ? `${who} ${verb("bet", "bets")} ${money(event.stake)}.` : `${who} ${verb("are", "is")} in.`;
    case "bet_returned": return `${who} ${verb("take", "takes")} the stake back.`;
    case "clock_ran_out":
      return seat ? `Time ran out: ${isYours ? "your hand stands" : `${who}'s hand stands`}.` : "Time ran out: betting is closed.";
    case "clock_extended": return "The house was away for a moment; the clock starts again.";
    default: return "";
  }
}

function othersResult(who, event, hand, which, staked) {
  const net = staked ? ` ${money(Math.abs(event.payout - event.stake))}` : "";
  switch (event.outcome) {
    case "blackjack": return `${who} has blackjack and wins${net}.`;
    case "win": return `${who} wins${net}${which}.`;
    case "push": return `${who} pushes${which}.`;
    case "bust": return `${who} busts with ${hand.total}${which}${staked ? ` and loses${net}` : ""}.`;
    default: return `${who} loses${net}${which}.`;
  }
}

function cap(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** @param {Element} list */
export function createLog(list) {
  const write = (text, className = "") => {
    if (!text) return;
    list.append(el("p", { class: className }, text));
    while (list.children.length > MOST_LINES) list.firstElementChild.remove();
    list.scrollTop = list.scrollHeight;
  };
  return {
    write,
    /** A new round begins under a line of its own. */
    openRound: (number) => write(`Round ${number}`, "log-round"),
  };
}
