/** The result of a finished game of piles, on the felt until it is dismissed or the next game is dealt. */
import { byId, setText } from "../lib/dom.js";
import { recallKey, storeKey } from "../lib/session_records.js";
import { formatGameResult } from "../text/piles.js";

/** @import { Table } from "../model/table_model.js" */

/** @param {string} key names this player at this table in the session's storage */
export function createGameResult(key) {
  const panel = byId("game-result");
  let dismissed = recallKey(key);
  let current = "";

  byId("game-result-close").addEventListener("click", () => {
    dismissed = current;
    storeKey(key, current);
    panel.hidden = true;
    byId("console").focus({ preventScroll: true });
  });

  return {
    /** @param {Table} table @param {string|null} you */
    draw({ piles, round, seats }, you) {
      current = piles?.game_over ? String(round) : "";
      panel.hidden = !current || current === dismissed;
      if (piles?.game_over)
        setText(byId("game-result-words"), formatGameResult(piles, seats[0].player, you));
    },
  };
}
