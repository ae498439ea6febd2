/** What is said aloud: the log politely, my turn and errors at once. Each thing once. */
import { byId, el, setText } from "./dom.js";
import { createLog, sentence } from "./log.js";
import { seatOf } from "./model.js";
import { roundResult } from "./results.js";

/** @param {{rules: object}} options */
export function createAnnouncer({ rules }) {
  const log = createLog(byId("log"));
  let calledTurn = 0;

  const call = (text) => setText(byId("calls"), text);

  return {
    call,
    complain: (text) => setText(byId("error-line"), text),
    connection: (text) => setText(byId("connection"), text),

    /** A new round begins under a line of its own. Nobody may look into a pile: its cards go. */
    openRound(number) {
      if (rules.piles) log.clear();
      log.write(`Round ${number}`, "log-round");
    },

    /** What I am asked, unless it was called already. */
    callOnce(turn, text) {
      if (calledTurn === turn) return;
      calledTurn = turn;
      call(text);
    },

    /**
     * Writes an event into the log; after my last hand of several, what they came to; under an
     * opened shoe, where it can be checked.
     */
    tell(event, table, { you, round }) {
      const text = sentence(event, table, { you, rules });
      if (event.type === "shoe_opened") log.write(text, "", " ", checkLink(round), ".");
      else log.write(text);
      const mine = seatOf(table, you);
      if (event.type !== "hand_settled" || event.seat !== mine?.seat || mine.hands.length < 2) return;
      log.write(roundResult(mine, table.dealer, rules) ?? "", "log-result");
    },
  };
}

/** To the page of a round, in a tab of its own that knows what this one's browser mixed in. */
function checkLink(round) {
  return el("a", { href: `/rounds/${round}/`, target: "_blank", rel: "opener" },
    "check it", el("span", { class: "visually-hidden" }, " (in a new tab)"));
}
