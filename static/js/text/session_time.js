/** How long I have been sitting here, and the result so far. */
import { gettext } from "../lib/i18n.js";
import { formatSigned } from "./format.js";

/** @import { Rules, Seat } from "../model/table_model.js" */

const MINUTE = 60_000;

/**
 * "24 min · +35", without stakes "24 min · 3–1–0", in its two parts. Null until the server says since when.
 * @param {Pick<Seat, "since"|"net"|"tally">|undefined} mine @param {number} now by the server's clock @param {Rules} rules
 */
export function formatSession(mine, now, rules) {
  if (!mine || mine.since === null) return null;
  const result = rules.stakes ? formatSigned(mine.net) : formatTally(mine.tally);
  const time = formatDuration(now - mine.since);
  const spelled = rules.stakes ? "" : spellTally(mine.tally);
  return { time: result ? `${time} · ` : time, result, spelled };
}

/** @param {number} passed */
function formatDuration(passed) {
  const minutes = Math.max(0, Math.floor(passed / MINUTE));
  const hours = Math.floor(minutes / 60);
  return hours
    ? gettext("%(hours)s h %(minutes)s min", { hours, minutes: minutes % 60 })
    : gettext("%(minutes)s min", { minutes });
}

/** @param {Wire.Score|null} tally */
function spellTally(tally) {
  return tally ? gettext("%(won)s won, %(lost)s lost, %(pushed)s pushed", { ...tally }) : "";
}

/** "3–1–0": won, lost, pushed. @param {Wire.Score|null} tally */
export function formatTally(tally) {
  return tally ? `${tally.won}–${tally.lost}–${tally.pushed}` : "";
}
