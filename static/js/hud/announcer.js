/** What is said aloud: the log politely, my turn and errors at once. Each thing once. */
import { byId, el, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { isShoeUsed, seatOf } from "../model/table_model.js";
import { roundResult } from "../text/outcomes.js";
import { createLog, sentence } from "./event_log.js";

const MENTIONED_FOR = 2_500;
/** A bet that goes back right after one of these was not taken back by its player. */
const STOPS = ["table_paused", "clock_ran_out"];

/** @param {{rules: object}} options */
export function createAnnouncer({ rules }) {
  const log = createLog(byId("log"));
  let calledTurn = 0;
  let mentioned = 0;
  let changedSeat = null;
  let isStopped = false;

  const call = (text) => setText(byId("calls"), text);

  return {
    call,
    complain: (text) => setText(byId("error-line"), text),
    connection: (text) => setText(byId("connection"), text),
    /** Into the log, where it is said in its order. */
    note: (text) => log.write(text, "log-result"),

    /** Something small that was just switched; it goes away by itself. */
    mention(text) {
      clearTimeout(mentioned);
      setText(byId("mention"), text);
      mentioned = setTimeout(() => setText(byId("mention"), ""), MENTIONED_FOR);
    },

    /** A new round begins under a line of its own. Nobody may look into a pile: its cards go. */
    openRound(number) {
      if (rules.piles) log.clear();
      log.write(gettext("Round %(number)s", { number }), "log-round");
    },

    /** What I am asked, unless it was called already. */
    callOnce(turn, text) {
      if (calledTurn === turn) return;
      calledTurn = turn;
      call(text);
    },

    /**
     * Writes an event into the log, a bet that is placed anew as one; after my last hand of several, what they came to; under an
     * opened shoe, where it can be checked.
     */
    tell(event, table, { you, round, next }) {
      const isReplaced =
        event.type === "bet_returned" && next?.type === "bet_placed" && next.seat === event.seat;
      if (event.type !== "bet_returned") isStopped = STOPS.includes(event.type);
      const text = isReplaced
        ? ""
        : sentence(event, table, { you, rules, isChange: changedSeat === event.seat, isStopped });
      changedSeat = isReplaced ? event.seat : null;
      if (event.type === "shoe_opened" && isShoeUsed(table.shoe))
        log.write(text, "", " ", checkLink(round), ".");
      else log.write(text);
      const mine = seatOf(table, you);
      if (event.type !== "hand_settled" || event.seat !== mine?.seat || mine.hands.length < 2)
        return;
      log.write(roundResult(mine, table.dealer, rules) ?? "", "log-result");
    },
  };
}

/** To the page of a round, in a tab of its own that knows what this one's browser mixed in. */
function checkLink(round) {
  return el(
    "a",
    { href: `/rounds/${round}/`, target: "_blank", rel: "opener" },
    gettext("check it"),
    el("span", { class: "visually-hidden" }, ` ${gettext("(in a new tab)")}`),
  );
}
