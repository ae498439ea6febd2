/** Plays events one after the other, and ends with the table that the server sent. */

import { applyEvent, applyMissed } from "../model/apply_event.js";
import { copyTable } from "../model/table_model.js";

/** @import { Table } from "../model/table_model.js" */

/**
 * Milliseconds that an event stays alone on the table before the next one.
 * @type {Partial<Record<Wire.Event["type"], number>>}
 */
const PAUSES = {
  card_dealt: 220,
  dealer_card_dealt: 220,
  hole_card_peeked: 350,
  hole_card_revealed: 750,
  hand_doubled: 220,
  hand_split: 380,
  insurance_taken: 300,
  insurance_settled: 500,
  cards_collected: 700,
};
const PAUSE_IN_DEALERS_PLAY = 600;
/** The dealer's play takes no longer than this, however many cards it takes. */
const LONGEST_DEALERS_PLAY = 2_100;
/** How long a hand is shown before its cards are collected, also without motion. */
const PAUSE_TO_READ = 2_200;

/**
 * @param {{
 *   draw: (table: Table, how: {isStepping: boolean, quiet: boolean, goal: Table}) => void,
 *   onEvent: (event: Wire.Event, table: Table, goal: Table, next: Wire.Event|undefined) => void,
 *   isStill: () => boolean,
 *   isSeen: () => boolean,
 * }} callbacks `onEvent` receives every event once, in order, with the table just after it and the next event.
 */
export function createPlayback({ draw, onEvent: tell, isStill, isSeen }) {
  /** @type {Table} */
  let visibleTable;
  /** @type {Table} */
  let goal;
  /** @type {Wire.Event[]} */
  let rest = [];
  let timer = 0;
  let haste = 1;

  function run() {
    for (let event = rest.shift(); event; event = rest.shift()) {
      applyNext(event);
      const pause = pauseAfter(event);
      if (pause) {
        draw(visibleTable, { isStepping: true, quiet: isStill(), goal });
        timer = setTimeout(run, pause);
        return;
      }
    }
    showFinalTable(isStill() || !isSeen());
  }

  /**
   * One step. An event that does not fit is reported here, and the full table goes on.
   * @param {Wire.Event} event
   */
  function applyNext(event) {
    try {
      applyEvent(visibleTable, event);
      tell(event, visibleTable, goal, rest[0]);
    } catch (error) {
      console.error("An event could not be shown; the full table is drawn instead.", event, error);
    }
  }

  /** @param {Wire.Event} event */
  function pauseAfter(event) {
    if (!rest.length || !isSeen()) return 0;
    if (rest[0].type === "cards_collected") return PAUSE_TO_READ;
    if (isStill()) return 0;
    return visibleTable.isDealerPlaying
      ? getDealersPause(event) * haste
      : (PAUSES[event.type] ?? 0);
  }

  /** @param {boolean} quiet */
  function showFinalTable(quiet) {
    timer = 0;
    visibleTable = copyTable(goal);
    draw(visibleTable, { isStepping: false, quiet, goal });
  }

  /** Applies the remaining events at once. Returns whether there were any. */
  function finish() {
    if (!timer) return false;
    clearTimeout(timer);
    rest.splice(0).forEach(applyNext);
    showFinalTable(true);
    return true;
  }

  return {
    /** Draws a table without animation. @param {Table} table */
    showAtOnce(table) {
      finish();
      goal = table;
      visibleTable = copyTable(table);
      draw(visibleTable, { isStepping: false, quiet: true, goal });
    },
    /**
     * Tells what was missed after this table, before the next one is drawn at once. The tables in between are
     * not known, so that one change may not fit: then the rest is not told.
     * @param {Wire.MissedChange[]} changes @param {Table} table
     * @param {(event: Wire.Event, table: Table, next: Wire.Event|undefined) => void} onMissed
     */
    tellMissed(changes, table, onMissed) {
      finish();
      try {
        for (const change of changes) applyMissed(table, change, onMissed);
      } catch {
        // The table that is drawn next is complete.
      }
    },
    /** Shows `events`, then `table`. Without events, what is being played ends with it. @param {Wire.Event[]} events @param {Table} table */
    play(events, table) {
      if (timer && !events.length) {
        goal = table;
        draw(visibleTable, { isStepping: true, quiet: true, goal });
        return;
      }
      finish();
      goal = table;
      rest = [...events];
      haste = getHaste(events);
      run();
    },
    finish,
  };
}

/** The pause after an event of the dealer's play, in milliseconds. @param {Wire.Event} event */
function getDealersPause({ type }) {
  return type === "dealer_card_dealt" ? PAUSE_IN_DEALERS_PLAY : (PAUSES[type] ?? 0);
}

/**
 * By how much the pauses of the dealer's play shrink, for all of it to fit into its time.
 * @param {Wire.Event[]} events
 */
function getHaste(events) {
  const play = events.slice(
    Math.max(
      0,
      events.findIndex(({ type }) => type === "hole_card_revealed"),
    ),
  );
  const whole = play
    .filter(({ type }) => type !== "cards_collected")
    .reduce((sum, event) => sum + getDealersPause(event), 0);
  return Math.min(1, LONGEST_DEALERS_PLAY / whole);
}
