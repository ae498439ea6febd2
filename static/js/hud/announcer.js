/** Live regions for screen readers: the log politely, my turn and errors at once, nothing twice. */
import { byId, el, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { sayIn } from "../lib/voice.js";
import { findSeat, isShoeUsed } from "../model/table_model.js";
import { formatHint } from "../text/hints.js";
import { formatTotal } from "../text/outcomes.js";
import { formatGameResult } from "../text/piles.js";
import { createLog, formatEvent, formatMuted } from "./event_log.js";

/**
 * @import { EventFields } from "../model/apply_event.js"
 * @import { Rules, Table } from "../model/table_model.js"
 * @typedef {ReturnType<typeof createAnnouncer>} Announcer
 */

const MENTIONED_FOR = 2_500;
/** Several keys in a row are announced once, with their result. */
const SAID_AFTER = 800;
const OF_RESULT_LINE = { className: "log-result", isMain: true };
const OF_GAME = { className: "log-result is-game", isMain: true };
/** A bet that goes back right after one of these was not taken back by its player. */
const STOPS = ["table_paused", "clock_ran_out"];
const RETURNS = ["bet_returned", "bet_behind_returned"];

const OF_DEALER = ["hole_card_revealed", "dealer_card_dealt"];
/** These are for short announcements too if they are of my own seat. */
const OF_RESULT = [
  "hand_settled",
  "insurance_settled",
  "clock_ran_out",
  "plan_played",
  "time_bank_started",
];
const OF_TABLE = [
  "round_broken_off",
  "round_voided",
  "table_paused",
  "table_resumed",
  "table_closing",
  "table_kept_open",
  "table_closed",
  "match_started",
  "match_round_ended",
  "match_ended",
];

/** @param {{rules: Rules}} options */
export function createAnnouncer({ rules }) {
  const log = createLog(byId("log"), byId("short-log"));
  /** @type {number|string} */
  let calledTurn = 0;
  let mentioned = 0;
  let soon = 0;
  /** @type {number|null} */
  let changedSeat = null;
  let isStopped = false;
  /** The plan that was told last, of which each card is an event. */
  let toldPlan = "";

  /** @param {string} text */
  const call = (text) => setText(byId("calls"), text);

  /** Announces what is shown elsewhere on the page. @param {string} text */
  const say = (text) => sayIn("said", text);

  return {
    call,
    setShort: log.setShort,
    get isShort() {
      return log.isShort;
    },
    say,
    /** The same after a moment, unless another text follows; "" cancels a text that is not yet announced. @param {string} text */
    saySoon(text) {
      clearTimeout(soon);
      if (text) soon = setTimeout(() => say(text), SAID_AFTER);
    },
    /** @param {string} text */
    complain: (text) => setText(byId("error-line"), text),
    /** @param {string} text */
    connection: (text) => setText(byId("connection"), text),
    /** Reads a hint once, and takes it away with its decision. @param {Wire.Hint|null} hint */
    hint: (hint) => setText(byId("hint-words"), hint ? formatHint(hint, rules) : ""),
    quietly: log.quietly,
    /** Adds a line to the log, which is read out in order. @param {string} text */
    note: (text) => log.write(text, OF_RESULT_LINE),
    /** Writes a line before the first one that `tell` writes, and none if there is none. @param {string} text @param {() => void} tell */
    head(text, tell) {
      log.head(text, OF_RESULT_LINE);
      tell();
      log.head("");
    },

    /** That a player's chat was blocked, or allowed again. @param {Wire.Muted} muted @param {string|null} you */
    muted: (muted, you) => log.write(formatMuted(muted, you)),

    /** A short notice, which disappears automatically. @param {string} text */
    mention(text) {
      clearTimeout(mentioned);
      setText(byId("mention"), text);
      mentioned = setTimeout(() => setText(byId("mention"), ""), MENTIONED_FOR);
    },

    /**
     * A new round begins under a line of its own. Nobody may look into a pile: its cards go, and only
     * the results of games stay.
     * @param {number} number
     */
    openRound(number) {
      toldPlan = "";
      if (rules.piles) log.clear();
      log.write(gettext("Round %(number)s", { number }), { className: "log-round", isMain: true });
    },

    /**
     * What a page that is opened now has missed: how the game of piles ended.
     * @param {Table} table @param {string|null} you
     */
    recall({ piles, seats }, you) {
      if (piles?.game_over) log.write(formatGameResult(piles, seats[0].player, you), OF_GAME);
    },

    /**
     * Announces my decision, once: at once, or if `isPolite` after what is being read out.
     * @param {number|string} turn @param {string} text @param {{isPolite?: boolean}} [how]
     */
    callOnce(turn, text, { isPolite = false } = {}) {
      if (calledTurn === turn) return;
      calledTurn = turn;
      (isPolite ? say : call)(text);
    },

    /**
     * Writes an event into the log, a bet that is placed anew as one; after my last hand of several, what they came to; under an
     * opened shoe, where it can be checked.
     * @param {Wire.Event} event @param {Table} table @param {{you: string|null, round: number|null, next: Wire.Event|undefined}} more
     */
    tell(event, table, { you, round, next }) {
      /** @type {EventFields} */
      const { seat } = event;
      const plan = event.type === "plan_played" ? `${event.seat}/${event.plan}` : "";
      if (plan && plan === toldPlan) return;
      if (plan) toldPlan = plan;
      const isReplaced =
        event.type === "bet_returned" && next?.type === "bet_placed" && next.seat === seat;
      if (!RETURNS.includes(event.type)) isStopped = STOPS.includes(event.type);
      const text = isReplaced
        ? ""
        : formatEvent(event, table, { you, rules, isChange: changedSeat === seat, isStopped });
      changedSeat = isReplaced ? (seat ?? null) : null;
      if (event.type === "shoe_opened" && isShoeUsed(table.shoe))
        log.write(text, {}, " ", checkLink(round), ".");
      else
        log.write(
          text,
          event.type === "game_ended" ? OF_GAME : { isMain: isMain(event, table, { you, next }) },
        );
      const mine = findSeat(table, you);
      if (event.type !== "hand_settled" || event.seat !== mine?.seat || mine.hands.length < 2)
        return;
      log.write(formatTotal(mine), OF_RESULT_LINE);
    },
  };
}

/**
 * Whether a line is read out in short announcements too: my result, the dealer's last card, the end of
 * my seat, and what happens to the table.
 * @param {Wire.Event} event @param {Table} table @param {{you: string|null, next: Wire.Event|undefined}} more
 */
function isMain(event, table, { you, next }) {
  /** @type {EventFields} */
  const { seat } = event;
  if (OF_DEALER.includes(event.type))
    return Boolean(table.isDealerPlaying) && !OF_DEALER.includes(next?.type ?? "");
  if (OF_TABLE.includes(event.type)) return true;
  if (event.type === "player_left") return event.player === you;
  return OF_RESULT.includes(event.type) && seat !== null && seat === findSeat(table, you)?.seat;
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
