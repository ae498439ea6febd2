/** A reminder of how long I have been playing, if I asked for one. It waits for "Go on". */
import { find, setText } from "../lib/dom.js";
import { gettext, ngettext } from "../lib/i18n.js";
import { formatSigned } from "../text/format.js";

/** @import { Rules } from "../model/table_model.js" */

/**
 * @param {{table: number, rules: Rules}} options
 * @returns {{show: (reminder: Wire.Reminder) => void}}
 */
export function createPlaytimeReminder({ table, rules }) {
  const notice = document.getElementById("reminder"); // on pages with a login
  if (!notice) return { show() {} };
  const liveRegion = find(notice, "[role='status']");
  find(notice, "button").addEventListener("click", () => {
    notice.hidden = true;
    setText(liveRegion, "");
  });

  return {
    /**
     * Shown beside the game and announced politely: it takes no focus or room from a decision.
     * @param {Wire.Reminder} reminder
     */
    show({ table: at, minutes, net }) {
      if (at !== table) return;
      notice.hidden = false;
      // The live region exists already; otherwise it is not announced.
      requestAnimationFrame(() =>
        setText(liveRegion, formatReminder(minutes, rules.stakes ? net : null)),
      );
    },
  };
}

/** @param {number} minutes @param {number|null} net */
function formatReminder(minutes, net) {
  const values = { minutes };
  const time = ngettext(
    "You have been playing for %(minutes)s minute.",
    "You have been playing for %(minutes)s minutes.",
    minutes,
    values,
  );
  return net === null
    ? time
    : `${time} ${gettext("Your result so far: %(net)s.", { net: formatSigned(net) })}`;
}
