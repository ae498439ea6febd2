/** What is said aloud: the log politely, my turn and errors at once. Each thing once. */
import { byId, setText } from "./dom.js";
import { createLog, sentence } from "./log.js";
import { seatOf } from "./model.js";
import { roundResult, turnCall } from "./words.js";

/** @param {{rules: {stakes: object|null}}} options */
export function createAnnouncer({ rules }) {
  const log = createLog(byId("log"));
  let calledTurn = 0;

  const call = (text) => setText(byId("calls"), text);

  return {
    call,
    complain: (text) => setText(byId("error-line"), text),
    connection: (text) => setText(byId("connection"), text),
    openRound: log.openRound,

    /** My turn, unless it was called already. */
    callTurn(table) {
      if (calledTurn === table.turn) return;
      calledTurn = table.turn;
      call(turnCall(table));
    },

    /** Writes an event into the log; after my last hand of several, what they came to. */
    tell(event, table, you) {
      log.write(sentence(event, table, you, rules));
      const mine = seatOf(table, you);
      if (event.type !== "hand_settled" || event.seat !== mine?.seat || mine.hands.length < 2) return;
      log.write(roundResult(mine.hands, table.dealer, rules) ?? "", "log-result");
    },
  };
}
