/** The players whose connection is lost, and how long their seats are held. */
import { gettext } from "../lib/i18n.js";
import { findAsked } from "../model/table_model.js";

/** @import { Rules, Seat, Table } from "../model/table_model.js" */

/** How long the server holds the seat of a player without an open page between rounds. */
const HELD_FOR = 60_000;
/** How long before a seat is freed its player is warned. */
const WARNED_BEFORE = 90_000;
const WARNED_AGAIN_BEFORE = 15_000;
const TICK = 1_000;
/** A little after the second has changed, so that it is the next one. */
const AFTER_CHANGE = 20;

/**
 * The label at the seat of an absent player; "" for a present one.
 * @param {Seat} seat @param {Table} table
 * @param {number} now by the server's clock
 */
export function formatAway(seat, table, now) {
  if (seat.away === null) return "";
  const until = getHoldEnd(seat, table);
  if (until === null) return gettext("reconnecting");
  return gettext("reconnecting… %(seconds)s s", {
    seconds: Math.max(0, Math.ceil((until - now) / 1000)),
  });
}

/**
 * The hand that is asked stands with its clock; between rounds the seat is freed; else nothing is lost yet.
 * @param {Seat} seat @param {Table} table
 */
function getHoldEnd(seat, table) {
  if (findAsked(table, seat.seat)) return table.deadline;
  if (seat.away === null || table.phase !== "betting" || table.paused !== null) return null;
  if (table.match?.state === "running") return null;
  return seat.away + HELD_FOR;
}

/**
 * When my seat is about to be freed because I do not bet, or play: how long there is; "" before that.
 * @param {Seat} seat @param {number} now @param {Rules} rules
 */
export function formatIdle(seat, now, rules) {
  if (seat.idle === null || seat.idle - now > WARNED_BEFORE) return "";
  const seconds = Math.ceil((seat.idle - now) / 1000);
  // The server frees it some seconds later.
  if (seconds <= 0)
    return rules.stakes
      ? gettext("bet now to keep the seat")
      : gettext("play now to keep the seat");
  return rules.stakes
    ? gettext("bet within %(seconds)s s to keep the seat", { seconds })
    : gettext("play within %(seconds)s s to keep the seat", { seconds });
}

/**
 * Says that my seat is about to be freed: when the label appears, and once more near the end.
 * @param {Rules} rules @param {(text: string) => void} say
 */
export function createIdleWarning(rules, say) {
  let warning = "";
  /** @param {Seat|undefined} seat @param {number} now by the server's clock */
  return (seat, now) => {
    const remaining = (seat?.idle ?? Number.POSITIVE_INFINITY) - now;
    if (remaining > WARNED_BEFORE || remaining <= 0) return;
    const next = `${seat?.idle}/${remaining <= WARNED_AGAIN_BEFORE}`;
    if (next === warning) return;
    warning = next;
    const seconds = Math.ceil(remaining / 1000);
    say(
      rules.stakes
        ? gettext("Bet within %(seconds)s seconds to keep your seat.", { seconds })
        : gettext("Play within %(seconds)s seconds to keep your seat.", { seconds }),
    );
  };
}

/** @param {Table} table */
function hasAwayPlayer(table) {
  return table.on_bank || table.seats.some(({ away, idle }) => away !== null || idle !== null);
}

/**
 * Update the remaining time of absent players and of a time bank; screen readers do not announce it.
 * @param {() => Table} tableOf @param {() => number} now @param {() => void} redraw
 * @param {() => void} figures
 */
export function startClockTick(tableOf, now, redraw, figures) {
  function tick() {
    setTimeout(tick, getTickDelay(tableOf(), now()));
    if (document.hidden) return;
    if (hasAwayPlayer(tableOf())) redraw();
    else figures();
  }
  setTimeout(tick, TICK);
}

/**
 * A second, or until the second of a time bank changes: the clock beside it shows the same one.
 * @param {Table} table @param {number} now
 */
export function getTickDelay({ on_bank, deadline }, now) {
  const remaining = on_bank && deadline !== null ? deadline - now : 0;
  return remaining > 0 ? (remaining % TICK) + AFTER_CHANGE : TICK;
}
