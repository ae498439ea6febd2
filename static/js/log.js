/** The written log of a round, which is also what a screen reader hears, once and in order. */
import { cardName } from "./cards.js";
import { el } from "./dom.js";
import { gameResult, pileName } from "./piles.js";
import { handResult, isLostTie } from "./results.js";
import { capital, cardCount, dealerTotal, handTotal, money, ordinal, theDealer } from "./words.js";

const MOST_LINES = 80;

const LOST_SEATS = { absent: "away for a minute", missed_rounds: "two rounds missed", no_answer: "no answer" };

/**
 * The sentence for an event, on the table just after it; "" for what goes without saying.
 * @param {import("./steps.js").TableEvent} event @param {import("./model.js").Table} table
 * @param {{you: string|null, rules: object}} reader
 */
export function sentence(event, table, { you, rules }) {
  const seat = event.seat ? table.seats[event.seat - 1] : null;
  const player = event.player ?? seat?.player;
  const isYours = Boolean(you) && player === you;
  const who = isYours ? "You" : (player ?? "An empty seat");
  const verb = (plain, third) => (isYours ? plain : third);
  const which = seat && seat.hands.length > 1 && event.hand ? ` on the ${ordinal(event.hand)} hand` : "";
  const staked = rules.stakes !== null;
  const hand = seat && event.hand ? seat.hands[event.hand - 1] : null;
  const dealer = capital(theDealer(rules));
  switch (event.type) {
    case "card_dealt":
      return `${who} ${verb("get", "gets")} the ${cardName(event.card)}${which}: ${handTotal(table, event.seat, event.hand)}.`;
    case "dealer_card_dealt":
      return event.card ? `${dealer} takes the ${cardName(event.card)}: ${dealerTotal(table, rules)}.` : `${dealer} takes a card, face down.`;
    case "hole_card_peeked": return `${dealer} checks the hole card: no ${rules.naturals ? "blackjack" : "21"}.`;
    case "hole_card_revealed": return `${dealer} turns over the ${cardName(event.card)}: ${dealerTotal(table, rules)}.`;
    case "hand_stood": return `${who} ${verb("stand", "stands")} on ${hand.total}${which}.`;
    case "hand_doubled": return `${who} ${verb("double", "doubles")}${which} for ${money(event.stake)} more.`;
    case "hand_split": return `${who} ${verb("split", "splits")}${staked ? ` for ${money(event.stake)} more` : ""}.`;
    case "hand_settled":
      if (!isYours) return othersResult(who, event, hand, which, table.dealer, rules);
      return `${which && `${capital(ordinal(event.hand))} hand: `}${handResult(hand, table.dealer, rules)}`;
    case "insurance_taken": return `${who} ${verb("insure", "insures")} for ${money(event.stake)}.`;
    case "insurance_declined": return `${who} ${verb("decline", "declines")} insurance.`;
    case "insurance_settled": {
      const net = event.payout - event.stake;
      const whose = isYours ? "Your" : `${who}'s`;
      return net > 0 ? `${whose} insurance pays ${money(net)}.` : `${whose} insurance is lost: ${money(-net)}.`;
    }
    case "cards_collected": {
      const name = pileName(event.pile, table, { you, rules });
      const whole = event.pile === "player" ? name : `The ${name.toLowerCase()}`;
      return `${whole} gets ${cardCount(event.cards)}, and holds ${table.piles[event.pile]} now.`;
    }
    case "game_ended": return gameResult(table.piles, table.seats[0].player, you);
    case "shoe_sealed": return rules.long_shoe ? `A new ${rules.piles ? "deck" : "shoe"} is ready, sealed.` : "";
    case "shoe_opened": return `Shoe ${event.shoe} is opened:`;
    case "player_sat": return `${who} ${verb("take", "takes")} seat ${event.seat}.`;
    case "player_left":
      if (event.reason === "left") return `${who} ${verb("leave", "leaves")} seat ${event.seat}.`;
      return `${who} ${verb("lose", "loses")} seat ${event.seat}: ${LOST_SEATS[event.reason]}.`;
    case "bet_placed":
      if (rules.piles) return ""; // There is nobody else to wait for.
      return staked ? `${who} ${verb("bet", "bets")} ${money(event.stake)}.` : `${who} ${verb("are", "is")} in.`;
    case "bet_returned": return staked ? `${who} ${verb("take", "takes")} the stake back.` : `${who} ${verb("are", "is")} out again.`;
    case "clock_ran_out":
      if (!seat) return staked ? "Time ran out: betting is closed." : "Time ran out.";
      if (isAboutInsurance(seat, table, rules)) return `Time ran out for ${isYours ? "you" : who}.`;
      return `Time ran out: ${isYours ? "your" : `${who}'s`} hand stands.`;
    case "clock_extended": return "The house was away for a moment; the clock starts again.";
    default: return "";
  }
}

/** Whether the clock that ran out was about insurance, which is asked before any hand is played. */
function isAboutInsurance(seat, { dealer }, rules) {
  return rules.insurance && seat.insurance === null && dealer.cards[0][0] === "A";
}

function othersResult(who, { outcome, stake, payout }, hand, which, dealer, rules) {
  const net = rules.stakes ? ` ${money(Math.abs(payout - stake))}` : "";
  switch (outcome) {
    case "blackjack": return `${who} has blackjack and wins${net}.`;
    case "win": return `${who} wins${net}${which}.`;
    case "push": return `${who} ${rules.piles ? "ties" : "pushes"}${which}.`;
    case "bust": return `${who} busts with ${hand.total}${which}${net && ` and loses${net}`}.`;
    case "surrender": return `${who} surrenders, and gets ${money(payout)} back.`;
    default: return `${who} loses${net}${which}${isLostTie(hand, dealer, rules) ? `: the tie is ${theDealer(rules)}'s` : ""}.`;
  }
}

/** @param {Element} list */
export function createLog(list) {
  return {
    /** @param {Node[]} more what follows the text, such as a link */
    write(text, className = "", ...more) {
      if (!text) return;
      list.append(el("p", { class: className }, text, ...more));
      while (list.children.length > MOST_LINES) list.firstElementChild.remove();
      list.scrollTop = list.scrollHeight;
    },
    clear: () => list.replaceChildren(),
  };
}
