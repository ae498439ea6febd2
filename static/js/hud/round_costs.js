/**
 * What my decisions cost, once the round is over on the screen and the player wants to know it. They are
 * fetched after that: the server computes them of a settled round only, so the page cannot have them earlier.
 */
import { byId, setClasses, setText } from "../lib/dom.js";
import { createRoundOfHands } from "../model/table_model.js";

/**
 * @import { Table } from "../model/table_model.js"
 * @import { Settings } from "../settings/settings_store.js"
 * @typedef {{waiting: boolean, summary: string, right: boolean, decisions: string[]}} Costs
 */

/** After this time the server's worker has graded the round, if it was too busy at once. */
const LATER = 6_000;
const MOST_REQUESTS = 3;

/**
 * @param {{settings: Settings, note: (text: string) => void}} options `note`: writes a line into the log
 */
export function createRoundCosts({ settings, note }) {
  const line = byId("status-cost");
  const getRound = createRoundOfHands();
  let targetRound = 0;
  /** The round on the screen, and what it cost. @type {{round: number, costs: Costs}|null} */
  let latest = null;
  let visibleRound = 0;
  /** Then the line under the status says why there are no bets. */
  let isPaused = false;

  /** @param {number} round @param {number} requests */
  async function ask(round, requests) {
    const costs = await fetchCosts(round);
    if (targetRound !== round) return;
    if (costs && !costs.waiting) {
      latest = { round, costs };
      // In the log of the next round they would be misread; the page of the round has them too.
      if (visibleRound === round) costs.decisions.forEach(note);
      show(visibleRound);
    } else if (requests > 1)
      setTimeout(() => targetRound === round && ask(round, requests - 1), LATER);
  }

  /** @param {number} round the round that is over on the screen; 0 for none */
  function show(round) {
    visibleRound = round;
    const isWanted = settings.is("costs") && !isPaused;
    const now = isWanted && latest?.round === round ? latest.costs : null;
    setText(line, now?.summary ?? "");
    setClasses(line, { "is-right": Boolean(now?.right), "is-dear": Boolean(now && !now.right) });
  }

  return {
    /** @param {Table} table @param {string|null} you @param {boolean} isStepping while cards move */
    draw(table, you, isStepping) {
      const played = getRound(table, you);
      isPaused = table.paused !== null;
      const round = !isStepping && table.phase === "betting" ? played : 0;
      if (round && round !== targetRound && settings.is("costs")) {
        targetRound = round;
        ask(round, MOST_REQUESTS);
      }
      show(round);
    },
  };
}

/** @param {number} round @returns {Promise<Costs|null>} */
async function fetchCosts(round) {
  try {
    const answer = await fetch(`/rounds/${round}/costs/`, {
      headers: { Accept: "application/json" },
    });
    return answer.ok && !answer.redirected ? await answer.json() : null;
  } catch {
    return null; // The line is away.
  }
}
