/** Sentences for a player who has lost the seat. */
import { gettext, ngettext } from "../lib/i18n.js";
import { formatMoney } from "./format.js";
import { roundNet } from "./outcomes.js";

/** @import { Rules } from "../model/table_model.js" */

/** @type {Partial<Record<Wire.Reason, string>>} */
const PARTINGS = {
  missed_rounds: gettext("You missed two rounds, so your seat was released."),
  absent: gettext("You were disconnected for a minute, so your seat was released."),
  idle: gettext("You didn't bet for several minutes, so your seat was released."),
  sat_out: gettext("You sat out too long, so your seat was released."),
  no_answer: gettext("You didn't answer in time, so your seat was released."),
  freed: gettext("The table host freed your seat."),
  banned: gettext("The host has banned you from this table."),
  closed: gettext("This table is closed."),
  fewer_seats: gettext("The table has fewer seats now, so your seat was released."),
  out_of_match: gettext("You have less than the smallest bet left, so you are out of the match."),
};

/** How long the server refuses a new seat to a player whose seat the host freed. */
const BARRED_FOR = 600_000;

/**
 * When I may sit down here again, if the host freed my seat with these events; 0 if not.
 * @param {Wire.Event[]} events @param {string|null} you @param {number} now
 */
export function getBarEnd(events, you, now) {
  const isFreed = events.some(
    (event) => event.type === "player_left" && event.player === you && event.reason === "freed",
  );
  return isFreed ? now + BARRED_FOR : 0;
}

/**
 * What somebody is told whose seat is free again with these events; "" when there is nothing to tell.
 * @param {Wire.Event[]} events @param {string|null} you @param {Rules} rules
 */
export function getSeatLostReason(events, you, rules) {
  const departure = events
    .filter((event) => event.type === "player_left")
    .find(({ player }) => player === you);
  if (!departure) return "";
  const words = PARTINGS[departure.reason];
  if (words) return words;
  const settled = events
    .filter((event) => event.type === "hand_settled")
    .filter(({ seat }) => seat === departure.seat);
  if (!settled.length || !rules.stakes) return "";
  const insurance = events
    .filter((event) => event.type === "insurance_settled")
    .find(({ seat }) => seat === departure.seat);
  const net = roundNet({
    hands: settled,
    insurance: insurance && { ...insurance, settled: true },
  });
  return formatOutcome(net, settled.length);
}

/** @param {number} net @param {number} hands */
function formatOutcome(net, hands) {
  const amount = formatMoney(Math.abs(net));
  if (net > 0)
    return ngettext(
      "You left. Your hand won %(amount)s.",
      "You left. Your hands won %(amount)s.",
      hands,
      { amount },
    );
  if (net < 0)
    return ngettext(
      "You left. Your hand lost %(amount)s.",
      "You left. Your hands lost %(amount)s.",
      hands,
      { amount },
    );
  return ngettext("You left. Your hand broke even.", "You left. Your hands broke even.", hands);
}
