/** Whose connection is lost, and how long what is theirs is kept. */
import { gettext } from "./i18n.js";

/** So long a seat is held between rounds for somebody who has no page open; the server frees it. */
const HELD_FOR = 60_000;

/**
 * What stands at the seat of somebody who is away; "" for who is here.
 * @param {import("./model.js").Seat} seat @param {import("./model.js").Table} table
 * @param {number} now by the server's clock
 */
export function awayWords(seat, table, now) {
  if (seat.away === null) return "";
  const until = heldUntil(seat, table);
  if (until === null) return gettext("reconnecting");
  return gettext("reconnecting… %(seconds)s s", { seconds: Math.max(0, Math.ceil((until - now) / 1000)) });
}

/** The hand that is asked stands with its clock; between rounds the seat is freed; else nothing is lost yet. */
function heldUntil(seat, table) {
  if (table.asked?.seat === seat.seat) return table.deadline;
  return table.phase === "betting" && table.paused === null ? seat.away + HELD_FOR : null;
}

function isAnybodyAway(table) {
  return table.seats.some(({ away }) => away !== null);
}

/** Minutes go by, and those who are away have less and less time; none of it is said aloud. */
export function everySecond(tableOf, redraw, figures) {
  setInterval(() => {
    if (document.hidden) return;
    if (isAnybodyAway(tableOf())) redraw();
    else figures();
  }, 1_000);
}
