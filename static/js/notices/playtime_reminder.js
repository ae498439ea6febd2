/** How long I have been playing, told because I wished to be: a quiet notice that waits for "Go on". */
import { setText } from "../lib/dom.js";
import { gettext, ngettext } from "../lib/i18n.js";
import { signed } from "../text/format.js";

/** @param {{table: number, rules: object}} options */
export function createReminder({ table, rules }) {
  const notice = document.getElementById("reminder"); // there for who is logged in
  const said = notice?.querySelector("[role='status']");
  notice?.querySelector("button").addEventListener("click", () => {
    notice.hidden = true;
    setText(said, "");
  });

  return {
    /** Said politely, and shown beside the game: it takes neither focus nor place from a decision. */
    show({ table: at, minutes, net }) {
      if (at !== table || !notice) return;
      notice.hidden = false;
      // Into a region that is on the page already: only then is it said.
      requestAnimationFrame(() => setText(said, words(minutes, rules.stakes ? net : null)));
    },
  };
}

function words(minutes, net) {
  const values = { minutes };
  const time = ngettext(
    "You have been playing for %(minutes)s minute.",
    "You have been playing for %(minutes)s minutes.",
    minutes,
    values,
  );
  return net === null
    ? time
    : `${time} ${gettext("Result so far: %(net)s.", { net: signed(net) })}`;
}
