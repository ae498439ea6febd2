/** The log of a round. Screen readers read it, once and in order. */

import { el } from "../lib/dom.js";
import { fill, gettext } from "../lib/i18n.js";
import { getPiles, isShoeUsed } from "../model/table_model.js";
import { getCardName } from "../text/cards.js";
import { LOST_PLACES, LOST_SEATS, SENTENCES } from "../text/event_templates.js";
import {
  capitalize,
  formatCardCount,
  formatDealerTotal,
  formatHandTotal,
  formatMoney,
  formatOrdinal,
} from "../text/format.js";
import { formatEnd, formatRoundEnded, formatStarted } from "../text/match.js";
import { formatHandResult, isLostTie } from "../text/outcomes.js";
import { formatGameResult, getPileName } from "../text/piles.js";
import { translateStored } from "../text/stored_sentences.js";

/**
 * @import { Values } from "../lib/i18n.js"
 * @import { EventFields } from "../model/apply_event.js"
 * @import { Dealer, Hand, Rules, Seat, Table } from "../model/table_model.js"
 * @typedef {{isYours: boolean, isOfSeveral: boolean}} Form
 * @typedef {typeof SENTENCES[string]} Forms
 */

const MOST_LINES = 80;
const MOST_SPOKEN = 8;
/** Screen readers may notice a new line this late. */
const UNHEARD_FOR = 1_000;

/**
 * The sentence for an event, on the table just after it; "" if it has none.
 * @param {Wire.Event} event @param {Table} table
 * @param {{you: string|null, rules: Rules, isChange?: boolean, isStopped?: boolean}} reader `isChange`: the bet takes the place of another; `isStopped`: the server returns it
 */
export function formatEvent(event, table, { you, rules, isChange, isStopped }) {
  /** @type {EventFields} */
  const { seat: number, hand: handNumber, player: named, stake } = event;
  const seat = number ? table.seats[number - 1] : null;
  const player = typeof named === "string" ? named : seat?.player; // With `game_ended` it is a number of cards.
  const isYours = Boolean(you) && player === you;
  const hand = seat && handNumber ? seat.hands[handNumber - 1] : null;
  const isOfSeveral = seat !== null && hand !== null && seat.hands.length > 1;
  const staked = rules.stakes !== null;
  const usual = {
    who: player ?? gettext("An empty seat"),
    seat: number,
    hand: isOfSeveral && handNumber ? formatOrdinal(handNumber) : "",
    stake: formatMoney(stake ?? 0),
    backed: seat?.player ?? gettext("Seat %(number)s", { number: number ?? 0 }),
  };
  /** @param {string} kind @param {Values} [more] */
  const format = (kind, more = {}) =>
    fill(getTemplate(SENTENCES[kind], { isYours, isOfSeveral }), { ...usual, ...more });
  switch (event.type) {
    case "card_dealt":
      return format("card_dealt", {
        card: getCardName(event.card),
        total: formatHandTotal(table, event.seat, event.hand),
      });
    case "dealer_card_dealt":
      return event.card
        ? format("dealer_took", {
            card: getCardName(event.card),
            total: formatDealerTotal(table, rules),
          })
        : format("dealer_took_face_down");
    case "hole_card_peeked":
      return format(rules.naturals ? "no_blackjack" : "no_21");
    case "hole_card_revealed":
      return format("hole_card_revealed", {
        card: getCardName(event.card),
        total: formatDealerTotal(table, rules),
      });
    case "hand_stood":
      return format("hand_stood", { total: hand?.total });
    case "hand_settled":
      if (!hand) throw new Error("A hand was settled that nobody has.");
      if (!isYours)
        return format(getResultKey(event, hand, { dealer: table.dealer, isOfSeveral, rules }), {
          net: formatMoney(Math.abs(event.payout - event.stake)),
          payout: formatMoney(event.payout),
          total: hand.total,
        });
      if (!isOfSeveral) return formatHandResult(hand, table.dealer, rules);
      return format("own_hand", {
        hand: capitalize(formatOrdinal(event.hand)),
        result: formatHandResult(hand, table.dealer, rules),
      });
    case "insurance_settled": {
      const net = event.payout - event.stake;
      return format(net > 0 ? "insurance_paid" : "insurance_lost", {
        net: formatMoney(Math.abs(net)),
      });
    }
    case "cards_collected":
      return format(`${event.pile}_collected`, {
        pile: getPileName(event.pile, table, { you }),
        cards: formatCardCount(event.cards),
        total: getPiles(table)[event.pile],
      });
    case "game_ended":
      return formatGameResult(getPiles(table), table.seats[0].player, you);
    case "shoe_sealed":
      return rules.long_shoe ? format(rules.piles ? "deck_sealed" : "shoe_sealed") : "";
    case "shoe_opened":
      return format(isShoeUsed(table.shoe) ? "shoe_opened" : "shoe_unused", {
        shoe: event.number ?? event.shoe,
      });
    case "round_broken_off":
      return format("round_broken_off", { because: translateStored(event.because) });
    case "round_voided":
      return format("round_voided", { round: event.number ?? event.round });
    case "player_left":
      return event.reason === "left"
        ? format("player_left")
        : format("seat_lost", { reason: LOST_SEATS[event.reason] });
    case "queue_left": {
      const reason = LOST_PLACES[event.reason];
      if (reason) return format("queue_lost", { reason });
      return format(event.reason === "declined" ? "queue_declined" : "queue_left");
    }
    case "bet_placed":
      if (rules.piles) return ""; // There is no other player.
      return format(isChange ? "bet_changed" : staked ? "bet_placed" : "is_in");
    case "bet_returned":
      return format(staked ? (isStopped ? "bet_sent_back" : "bet_returned") : "is_out");
    case "bet_behind_settled": {
      const net = event.payout - event.stake;
      const kind = net > 0 ? "won" : net < 0 ? "lost" : "pushed";
      return format(`bet_behind_${kind}`, { net: formatMoney(Math.abs(net)) });
    }
    case "clock_ran_out":
      if (!seat) return format(staked ? "time_to_bet" : "time");
      return format(isAboutInsurance(seat, table, rules) ? "time_to_insure" : "time_to_play");
    case "table_changed":
      return format(event.player ? "table_changed_by_host" : "table_changed");
    case "table_changing":
      return format(event.on ? "table_changing" : "table_not_changing");
    case "table_paused":
      if (event.player) return format("table_paused_by_host");
      return format("table_paused", { because: translateStored(event.because) });
    case "table_resumed":
      return format(event.player ? "table_resumed_by_host" : "table_resumed");
    case "table_kept_open":
      return format(event.player ? "table_kept_open_by_host" : "table_kept_open");
    case "match_started":
      return formatStarted(event);
    case "match_round_ended":
      return formatRoundEnded(event, you, table.match?.kind === "duplicate");
    case "match_ended": {
      const result = formatEnd(event.winners, you, event.because !== "");
      return event.because ? `${result} ${translateStored(event.because)}` : result;
    }
    case "chat_switched":
      return format(event.on ? "chat_on" : "chat_off");
    case "hints_allowed":
      return format(event.on ? "hints_allowed" : "hints_forbidden");
    case "time_bank_started":
      return format("time_bank_started", { seconds: Math.ceil(event.left / 1000) });
    case "plan_played":
      return format(`plan_${event.plan}`);
    case "sit_out_switched":
      return format(event.on ? "sits_out" : "back_in");
    case "hints_switched":
      return format(event.on ? "hints_on" : "hints_off");
    case "topped_up":
      return format(event.by_host ? "stack_given" : "stack_taken");
    default:
      return SENTENCES[event.type] ? format(event.type) : "";
  }
}

/**
 * Who was muted in the chat, or unmuted.
 * @param {Wire.Muted} muted @param {string|null} you
 */
export function formatMuted({ player, on, host }, you) {
  const key = `${on ? "muted" : "unmuted"}${host ? "_by_host" : ""}`;
  const form = { isYours: player === you, isOfSeveral: false };
  return fill(getTemplate(SENTENCES[key], form), { who: player });
}

/**
 * The template of an event; event_templates.js lists them.
 * @param {Forms} forms @param {Form} form
 */
function getTemplate(forms, { isYours, isOfSeveral }) {
  if (typeof forms === "string") return forms;
  return forms[Number(!isYours) + (isOfSeveral && forms.length > 2 ? 2 : 0)];
}

/**
 * Whether the clock that ran out was about insurance, which is asked before any hand is played.
 * @param {Seat} seat @param {Table} table @param {Rules} rules
 */
function isAboutInsurance(seat, { dealer }, rules) {
  return rules.insurance && seat.insurance === null && dealer.cards[0][0] === "A";
}

/**
 * The key in `SENTENCES` for the result of another player's hand.
 * @param {Wire.HandSettled} event @param {Hand} hand @param {{dealer: Dealer, isOfSeveral: boolean, rules: Rules}} of
 */
function getResultKey({ outcome }, hand, { dealer, isOfSeveral, rules }) {
  if (isLostTie(hand, dealer, rules)) return "lose_tie";
  if (outcome === "push" && rules.piles) return "tie";
  const kind = isOfSeveral ? `${outcome}_of_several` : rules.stakes ? `${outcome}_staked` : outcome;
  return SENTENCES[kind] ? kind : outcome;
}

/**
 * @param {Element} list read out as a whole, unless `setShort` was called
 * @param {Element} voice out of sight: read out in its place, with the most important lines alone
 */
export function createLog(list, voice) {
  let isShort = false;
  const setLive = () => list.setAttribute("aria-live", isShort ? "off" : "polite");
  /** @type {{text: string, how: {className?: string, isMain?: boolean}}} */
  let next = { text: "", how: {} };

  /**
   * @param {string} text @param {{className?: string, isMain?: boolean}} [how]
   * @param {...(Node|string)} more elements after the text, such as a link
   */
  function write(text, { className = "", isMain = false } = {}, ...more) {
    if (!text) return;
    const { text: above, how } = next;
    next = { text: "", how: {} };
    write(above, how);
    if (isShort && isMain) {
      voice.append(el("p", {}, text));
      while (voice.children.length > MOST_SPOKEN) voice.firstElementChild?.remove();
    }
    list.append(el("p", { class: className }, text, ...more));
    while (list.children.length > MOST_LINES) list.firstElementChild?.remove();
    list.scrollTop = list.scrollHeight;
  }

  return {
    /** Whether only lines that are `main` are read out. @param {boolean} isNow */
    setShort(isNow) {
      isShort = isNow;
      setLive();
      voice.replaceChildren();
    },
    get isShort() {
      return isShort;
    },
    write,
    /** Calls `tell`. Screen readers do not announce the lines that it writes. @param {() => void} tell */
    quietly(tell) {
      list.setAttribute("aria-live", "off");
      tell();
      voice.replaceChildren();
      setTimeout(setLive, UNHEARD_FOR);
    },
    /** Writes a line before the next one; "" if there was none. @param {string} text @param {{className?: string, isMain?: boolean}} [how] */
    head(text, how = {}) {
      next = { text, how };
    },
    /** Takes all lines away but the results of games. */
    clear() {
      for (const line of [...list.children]) if (!line.matches(".is-game")) line.remove();
    },
  };
}
