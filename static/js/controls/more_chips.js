/** In place of the chips, for a player who cannot bet here any more: more chips, or a smaller table. */
import { byId, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

/** @typedef {{allowed: boolean, reason: string, table: {name: string, url: string}|null}} Offer */

const WORDS = {
  /** @param {string} name */
  table: (name) => gettext("Play at %(name)s", { name }),
};

export function createMoreChips() {
  const node = byId("more-chips");
  let asked = "";
  node.hidden = false;
  node.remove();

  async function ask() {
    try {
      const answer = await fetch(node.dataset.source ?? "", {
        headers: { Accept: "application/json" },
      });
      if (answer.ok && !answer.redirected) show(await answer.json());
    } catch {
      asked = ""; // The line is away: it is asked again when the table is drawn next.
    }
  }

  /** @param {Offer} offer */
  function show({ allowed, reason, table }) {
    /** @param {string} id */
    const part = (id) => /** @type {HTMLElement} */ (node.querySelector(id));
    part("#more-chips-form").hidden = !allowed;
    setText(part("#more-chips-why"), reason);
    const link = part("#more-chips-table");
    link.hidden = table === null;
    setAttribute(link, "href", table?.url ?? null);
    setText(link, table ? WORDS.table(table.name) : "");
  }

  return {
    node,
    /** Asks once for each balance and round. @param {string} moment */
    draw(moment) {
      if (asked === moment) return;
      asked = moment;
      ask();
    },
  };
}
