/** The standings of a match: a dialog that opens by its button, and by itself when the match ends. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, el, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { recallKey, storeKey } from "../lib/session_records.js";
import { formatMoney, formatSigned } from "../text/format.js";
import { formatProgress, formatResult } from "../text/match.js";

/**
 * @import { Table } from "../model/table_model.js"
 * @import { Match } from "../text/match.js"
 * @typedef {Match["standings"][number]} Standing
 */

const WORDS = {
  left: gettext("left"),
  /** @param {number} round */
  out: (round) => gettext("out after round %(round)s", { round }),
  you: gettext("you"),
};

/** @param {string} key names this player at this table in the session's storage */
export function createMatchPanel(key) {
  const found = document.getElementById("match-dialog");
  if (!(found instanceof HTMLDialogElement)) return { draw() {}, open() {} }; // no match is played here
  const dialog = found;
  const opener = byId("match-open");
  const title = byId("match-words"); // in the bar, where a phone has no room for the other one
  const again = document.getElementById("match-again"); // for who is logged in
  const next = byId("match-next", HTMLAnchorElement);
  const announced = `match-over/${key}`;
  let drawn = "";

  wireDialog(dialog, opener);
  title.addEventListener("click", () => dialog.showModal());

  /** @param {Standing} standing @param {string|null} you */
  function createRow({ player, place, stack, change, out, left }, you) {
    const why = left ? WORDS.left : out === undefined || out === null ? "" : WORDS.out(out);
    return el(
      "tr",
      { class: `${player === you ? "is-you" : ""}${why ? " is-out" : ""}` },
      el("td", { class: "match-place" }, String(place)),
      el(
        "th",
        { scope: "row" },
        el("bdi", {}, player),
        player === you ? el("span", { class: "you" }, ` ${WORDS.you}`) : "",
        why ? el("small", {}, ` ${why}`) : "",
      ),
      el("td", {}, formatMoney(stack)),
      el("td", {}, formatSigned(change ?? 0)),
    );
  }

  return {
    open: () => dialog.showModal(),
    /** @param {Table} table @param {string|null} you @param {boolean} isStepping */
    draw({ match, phase }, you, isStepping) {
      if (!match || isStepping) return;
      const now = JSON.stringify([match, phase]);
      if (now === drawn) return;
      drawn = now;
      const hasEnded = match.state === "over" || match.state === "broken_off";
      setText(byId("match-title"), hasEnded ? formatResult(match, you) : gettext("Standings"));
      const progress = formatProgress(match, phase);
      setText(byId("match-progress"), progress);
      setText(title, progress);
      title.setAttribute("aria-label", gettext("Standings. %(progress)s", { progress }));
      byId("match-rows").replaceChildren(...match.standings.map((one) => createRow(one, you)));
      // At the table of a duplicate match nobody else plays: its page compares.
      byId("match-table").hidden = match.standings.length === 0 || match.kind === "duplicate";
      const hasPlayed = match.standings.some(({ player }) => player === you);
      next.hidden = match.rematch === null || match.kind === "duplicate";
      next.href = `/tables/${match.rematch}/`;
      again?.toggleAttribute(
        "hidden",
        !hasEnded || !hasPlayed || match.rematch !== null || match.kind === "duplicate",
      );
      dialog.classList.toggle("is-over", hasEnded);
      if (!hasEnded || recallKey(announced) === String(match.id)) return;
      storeKey(announced, String(match.id));
      if (!dialog.open && !document.querySelector("dialog[open]")) dialog.showModal();
    },
  };
}
