/** In place of the chips, for a player whose stack of table chips is not enough for a bet: another stack. */
import { el, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { findSeat } from "../model/table_model.js";
import { formatMoney } from "../text/format.js";

/** @import { Table } from "../model/table_model.js" */

const WORDS = {
  /** @param {string} size */
  take: (size) => gettext("Take another stack of %(size)s", { size }),
  /** @param {string} host */
  ask: (host) => gettext("Ask %(host)s for another stack", { host }),
  /** @param {string} host */
  asked: (host) => gettext("You have asked %(host)s for another stack.", { host }),
  /** @param {number} remaining @param {number} all */
  left: (remaining, all) =>
    gettext("You can take %(left)s of %(all)s more stacks. These are chips of this table.", {
      left: remaining,
      all,
    }),
  host: gettext("The host gives stacks. These are chips of this table."),
};

/**
 * @param {{topUp: () => void, ask: () => void, give: (seat: number) => void}} options
 */
export function createStackOffer({ topUp, ask, give }) {
  /** @type {() => void} */
  let press = () => {};
  let isWaiting = false;
  const text = el("p", { role: "status" });
  const button = el("button", {
    type: "button",
    class: "button is-wide",
    onclick: () => isWaiting || press(),
  });
  const node = el("div", { class: "more-chips" }, text, button);

  return {
    node,
    /** @param {Table} table @param {string} you @param {boolean} waiting */
    draw(table, you, waiting) {
      const mine = findSeat(table, you);
      if (!mine || table.stack === null) return;
      isWaiting = waiting;
      const remaining = table.top_ups - mine.top_ups;
      const host = table.maker ?? "";
      const isHost = host === you;
      const mustAsk = remaining <= 0 && !isHost;
      press = remaining > 0 ? topUp : isHost ? () => give(mine.seat) : ask;
      setText(button, mustAsk ? WORDS.ask(host) : WORDS.take(formatMoney(table.stack)));
      button.hidden = mustAsk && mine.asks;
      setAttribute(button, "aria-disabled", waiting ? "true" : null);
      const help = remaining > 0 ? WORDS.left(remaining, table.top_ups) : isHost ? "" : WORDS.host;
      setText(text, button.hidden ? WORDS.asked(host) : help);
    },
  };
}
