/** The players whose connection is lost, and how long their seats are held. */
import { gettext } from "../lib/i18n.js";
import { askedAt } from "../model/table_model.js";

/** @import { Seat, Table } from "../model/table_model.js" */

/** So long a seat is held between rounds for somebody who has no page open; the server frees it. */
const HELD_FOR = 60_000;
/** So long before a seat is freed its player is told. */
const WARNED_BEFORE = 90_000;

/**
 * What stands at the seat of somebody who is away; "" for who is here.
 * @param {Seat} seat @param {Table} table
 * @param {number} now by the server's clock
 */
export function awayWords(seat, table, now) {
  if (seat.away === null) return "";
  const until = heldUntil(seat, table);
  if (until === null) return gettext("reconnecting");
  return gettext("reconnecting… %(seconds)s s", {
    seconds: Math.max(0, Math.ceil((until - now) / 1000)),
  });
}

/**
 * The hand that is asked stands with its clock; between rounds the seat is freed; else nothing is lost yet.
 * @param {Seat} seat @param {Table} table
 */
function heldUntil(seat, table) {
  if (askedAt(table, seat.seat)) return table.deadline;
  if (seat.away === null || table.phase !== "betting" || table.paused !== null) return null;
  return seat.away + HELD_FOR;
}

/**
 * When my seat is about to be freed because I do not bet: how long there is; "" before that.
 * @param {Seat} seat @param {number} now
 */
export function idleWords(seat, now) {
  if (seat.idle === null || seat.idle - now > WARNED_BEFORE) return "";
  return gettext("bet within %(seconds)s s to keep the seat", {
    seconds: Math.max(0, Math.ceil((seat.idle - now) / 1000)),
  });
}

/** @param {Table} table */
function isAnybodyAway(table) {
  return table.seats.some(({ away, idle }) => away !== null || idle !== null);
}

/**
 * Minutes go by, and those who are away have less and less time; none of it is said aloud.
 * @param {() => Table} tableOf @param {() => void} redraw @param {() => void} figures
 */
export function startClockTick(tableOf, redraw, figures) {
  setInterval(() => {
    if (document.hidden) return;
    if (isAnybodyAway(tableOf())) redraw();
    else figures();
  }, 1_000);
}
