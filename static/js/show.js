/** Shows what happened step by step, and ends at the table that the server sent. */
import { copyTable } from "./model.js";
import { step } from "./steps.js";

/** Milliseconds that an event stays alone on the table before the next one. */
const PAUSES = {
  card_dealt: 260,
  dealer_card_dealt: 260,
  hole_card_peeked: 400,
  hole_card_revealed: 750,
  hand_doubled: 220,
  hand_split: 380,
  insurance_taken: 300,
  insurance_settled: 500,
  cards_collected: 700,
};
const PAUSE_IN_DEALERS_PLAY = 600;
/** A hand lies open so long before its cards are collected; also for who wants no motion. */
const PAUSE_TO_READ = 2_200;

/**
 * @param {{
 *   draw: (table: import("./model.js").Table, how: {isStepping: boolean, quiet: boolean, goal: object}) => void,
 *   tell: (event: object, table: object, goal: object) => void,
 *   isStill: () => boolean,
 *   isSeen: () => boolean,
 * }} house `tell` hears every event once, in order, with the table just after it.
 */
export function createShow({ draw, tell, isStill, isSeen }) {
  let shown = null;
  let goal = null;
  let rest = [];
  let timer = 0;

  function run() {
    while (rest.length) {
      const event = rest.shift();
      take(event);
      const pause = pauseAfter(event);
      if (pause) {
        draw(shown, { isStepping: true, quiet: isStill(), goal });
        timer = setTimeout(run, pause);
        return;
      }
    }
    arrive();
  }

  /** One step. An event that does not fit is reported here, and the full table goes on. */
  function take(event) {
    try {
      step(shown, event);
      tell(event, shown, goal);
    } catch (error) {
      console.error("An event could not be shown; the full table is drawn instead.", event, error);
    }
  }

  function pauseAfter(event) {
    if (!rest.length || !isSeen()) return 0;
    if (rest[0].type === "cards_collected") return PAUSE_TO_READ;
    if (isStill()) return 0;
    if (event.type === "dealer_card_dealt" && shown.isDealerPlaying) return PAUSE_IN_DEALERS_PLAY;
    return PAUSES[event.type] ?? 0;
  }

  function arrive() {
    timer = 0;
    shown = copyTable(goal);
    draw(shown, { isStepping: false, quiet: isStill() || !isSeen(), goal });
  }

  /** What was still to be shown is told and done at once. */
  function finish() {
    if (!timer) return;
    clearTimeout(timer);
    rest.splice(0).forEach(take);
    arrive();
  }

  return {
    /** Draws a table as it lies, without any show. */
    jump(table) {
      finish();
      goal = table;
      shown = copyTable(table);
      draw(shown, { isStepping: false, quiet: true, goal });
    },
    /** Shows `events`, then `table`. */
    play(events, table) {
      finish();
      goal = table;
      rest = [...events];
      run();
    },
    finish,
  };
}
