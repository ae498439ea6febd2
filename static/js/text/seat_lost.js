/** What somebody is told who has no seat any more. */
import { gettext, ngettext } from "../lib/i18n.js";
import { money } from "./format.js";
import { roundNet } from "./outcomes.js";

const PARTINGS = {
  missed_rounds: gettext("You missed two rounds, so your seat was given up."),
  absent: gettext("You were away for a minute, so your seat was given up."),
  idle: gettext("You did not bet for some minutes, so your seat was given up."),
  no_answer: gettext("You did not say whether you play again, so your seat was given up."),
  freed: gettext("The host of this table freed your seat."),
  closed: gettext("This table is closed."),
  fewer_seats: gettext("The house has taken your seat away."),
};

/** What somebody is told whose seat is free again with these events; "" when there is nothing to tell. */
export function parting(events, you, rules) {
  const left = events.find(({ type, player }) => type === "player_left" && player === you);
  if (!left) return "";
  if (PARTINGS[left.reason]) return PARTINGS[left.reason];
  const ofMine = events.filter(({ seat }) => seat === left.seat);
  const settled = ofMine.filter(({ type }) => type === "hand_settled");
  if (!settled.length || !rules.stakes) return "";
  const insurance = ofMine.find(({ type }) => type === "insurance_settled");
  const net = roundNet({ hands: settled, insurance: insurance && { ...insurance, settled: true } });
  return cameTo(net, settled.length);
}

function cameTo(net, hands) {
  const amount = money(Math.abs(net));
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
  return ngettext(
    "You left. Your hand came out even.",
    "You left. Your hands came out even.",
    hands,
  );
}
