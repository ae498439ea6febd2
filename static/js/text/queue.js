/** Sentences about the line for a seat. */
import { gettext, ngettext } from "../lib/i18n.js";

/** @import { Place, Table } from "../model/table_model.js" */

/** Who is next, for all at the table; "" if nobody is in line. @param {Table} table */
export function formatNextInLine({ queue }) {
  const next = queue.find(({ seat }) => seat === null) ?? queue[0];
  return next ? gettext("Next in line: %(name)s", { name: next.player }) : "";
}

/** @param {Place} place */
export function formatPlace({ number }) {
  return number === 1
    ? gettext("You are next in line")
    : gettext("You are number %(number)s in line", { number });
}

/** @param {number} seat */
export function formatOffer(seat) {
  return gettext("Seat %(seat)s is free for you", { seat });
}

/** The same for who does not see the buttons. @param {number} seat */
export function formatOfferCall(seat) {
  return gettext("Seat %(seat)s is free for you. Take it within 30 seconds.", { seat });
}

/** Why a full table has no seat for who watches, and how many wait. @param {Table} table */
export function formatFull({ queue }) {
  const offered = queue.find(({ seat }) => seat !== null);
  if (offered)
    return gettext("Seat %(seat)s is offered to %(name)s.", {
      seat: offered.seat,
      name: offered.player,
    });
  const full = gettext("Every seat is taken.");
  if (!queue.length) return full;
  const count = queue.length;
  return `${full} ${ngettext("%(count)s player is in line.", "%(count)s players are in line.", count, { count })}`;
}
