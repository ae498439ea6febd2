/** Live regions for screen readers: the log politely, my turn and errors at once, nothing twice. */
import { byId, el, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { findSeat, isShoeUsed } from "../model/table_model.js";
import { formatRoundResult } from "../text/outcomes.js";
import { createEventLog, formatEvent } from "./event_log.js";

/**
 * @import { EventFields } from "../model/apply_event.js"
 * @import { Rules, Table } from "../model/table_model.js"
 * @typedef {ReturnType<typeof createAnnouncer>} Announcer
 */

const MENTIONED_FOR = 2_500;
/** A bet that goes back right after one of these was not taken back by its player. */
const STOPS = ["table_paused", "clock_ran_out"];

/** @param {{rules: Rules}} options */
export function createAnnouncer({ rules }) {
  const log = createEventLog(byId("log"));
  let calledTurn = 0;
  let mentioned = 0;
  /** @type {number|null} */
  let changedSeat = null;
  let isStopped = false;

  /** @param {string} text */
  const call = (text) => setText(byId("calls"), text);

  return {
    call,
    /** @param {string} text */
    complain: (text) => setText(byId("error-line"), text),
    /** @param {string} text */
    connection: (text) => setText(byId("connection"), text),
    /** Adds a line to the log, which is read out in order. @param {string} text */
    note: (text) => log.write(text, "log-result"),

    /** A short notice, which disappears automatically. @param {string} text */
    mention(text) {
      clearTimeout(mentioned);
      setText(byId("mention"), text);
      mentioned = setTimeout(() => setText(byId("mention"), ""), MENTIONED_FOR);
    },

    /**
     * A new round begins under a separator. Cards in a pile are not public: they are removed.
     * @param {number} number
     */
    openRound(number) {
      if (rules.piles) log.clear();
      log.write(gettext("Round %(number)s", { number }), "log-round");
    },

    /** Announces my decision, once. @param {number} turn @param {string} text */
    callOnce(turn, text) {
      if (calledTurn === turn) return;
      calledTurn = turn;
      call(text);
    },

    /**
     * Writes an event into the log, a bet that is placed anew as one; after my last hand of several, what they came to; under an
     * opened shoe, where it can be checked.
     * @param {Wire.Event} event @param {Table} table @param {{you: string|null, round: number|null, next: Wire.Event|undefined}} more
     */
    tell(event, table, { you, round, next }) {
      /** @type {EventFields} */
      const { seat } = event;
      const isReplaced =
        event.type === "bet_returned" && next?.type === "bet_placed" && next.seat === seat;
      if (event.type !== "bet_returned") isStopped = STOPS.includes(event.type);
      const text = isReplaced
        ? ""
        : formatEvent(event, table, { you, rules, isChange: changedSeat === seat, isStopped });
      changedSeat = isReplaced ? (seat ?? null) : null;
      if (event.type === "shoe_opened" && isShoeUsed(table.shoe))
        log.write(text, "", " ", checkLink(round), ".");
      else log.write(text);
      const mine = findSeat(table, you);
      if (event.type !== "hand_settled" || event.seat !== mine?.seat || mine.hands.length < 2)
        return;
      log.write(formatRoundResult(mine, table.dealer, rules) ?? "", "log-result");
    },
  };
}

/**
 * A link to the page of a round, in a new tab.
 * @param {number|null} round
 */
function checkLink(round) {
  return el(
    "a",
    { href: `/rounds/${round}/`, target: "_blank", rel: "opener" },
    gettext("check it"),
    el("span", { class: "visually-hidden" }, ` ${gettext("(in a new tab)")}`),
  );
}
