/**
 * In place of the chips, for a player who cannot bet here any more, the ways on: more chips, a table with a
 * smaller minimum, the settings for the host, and watching.
 */
import { byId, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { formatMoney } from "../text/format.js";

/**
 * @typedef {{allowed: boolean, reason: string, table: {name: string, url: string, minimum: number}|null,
 *   is_host: boolean, nobody: string}} Offer `nobody`: that no seated player can afford a bet; "" if one can
 */

const WORDS = {
  /** @param {{name: string, minimum: number}} table */
  table: ({ name, minimum }) =>
    gettext("Play at %(name)s, minimum %(least)s", { name, least: formatMoney(minimum) }),
};

/** @param {{leave: () => void}} options */
export function createMoreChips({ leave }) {
  const node = byId("more-chips");
  /** @param {string} id */
  const part = (id) => /** @type {HTMLElement} */ (node.querySelector(id));
  let lastMoment = "";
  node.hidden = false;
  part("#more-chips-watch").addEventListener("click", leave);
  node.remove();

  async function ask() {
    try {
      const answer = await fetch(node.dataset.source ?? "", {
        headers: { Accept: "application/json" },
      });
      if (answer.ok && !answer.redirected) show(await answer.json());
    } catch {
      lastMoment = ""; // The line is away: it is asked again when the table is drawn next.
    }
  }

  /** @param {Offer} offer */
  function show({ allowed, reason, table, is_host: isHost, nobody }) {
    part("#more-chips-form").hidden = !allowed;
    setText(part("#more-chips-why"), [nobody, reason].filter(Boolean).join(" "));
    const link = part("#more-chips-table");
    link.hidden = table === null;
    setAttribute(link, "href", table?.url ?? null);
    setText(link, table ? WORDS.table(table) : "");
    part("#more-chips-lobby").hidden = table !== null;
    part("#more-chips-settings").hidden = !isHost;
  }

  return {
    node,
    /**
     * Asks once for each balance and state of the bets.
     * @param {string} moment @param {boolean} isSeated
     */
    draw(moment, isSeated) {
      part("#more-chips-watch").hidden = !isSeated;
      if (lastMoment === moment) return;
      lastMoment = moment;
      ask();
    },
  };
}
