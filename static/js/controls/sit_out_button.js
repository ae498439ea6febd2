/** The switches with which I sit out and am back in: at the table where there is room, and in its settings. */
import { byId, el, find, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { findSeat } from "../model/table_model.js";

/** @import { Table } from "../model/table_model.js" */

const WORDS = {
  out: gettext("Sit out"),
  back: gettext("I'm back"),
  help: gettext("Keep your seat for a while. Rounds begin without you, and no bet is asked."),
  noSeat: gettext("Take a seat first."),
  match: gettext("In a match, everyone plays every round."),
  on: gettext("On"),
  off: gettext("Off"),
};

/** @param {{switchTo: (on: boolean) => void}} options */
export function createSitOutButton({ switchTo }) {
  const button = byId("sit-out");
  let isOut = false;
  let isDisabled = true;
  const press = () => isDisabled || switchTo(!isOut);
  const setting = el(
    "button",
    {
      type: "button",
      class: "switch",
      role: "switch",
      "data-setting": "sit-out",
      onclick: press,
      "aria-label": WORDS.out,
      "aria-describedby": "help-sit-out",
    },
    el(
      "span",
      { class: "switch-words" },
      el("b", {}, WORDS.out),
      el("span", { class: "switch-help", id: "help-sit-out" }),
    ),
    el("span", { class: "switch-state", "aria-hidden": "true" }),
  );
  byId("hint-switch").append(el("li", {}, setting));
  button.addEventListener("click", press);

  return {
    /** @param {Table} table @param {string|null} you @param {boolean} waiting */
    draw(table, you, waiting) {
      const mine = findSeat(table, you);
      isOut = Boolean(mine?.sitting_out);
      const hasPlace = mine && !mine.leaving && !table.match;
      isDisabled = waiting || !hasPlace;
      button.hidden = !hasPlace;
      setAttribute(setting, "aria-checked", String(isOut));
      setAttribute(setting, "aria-disabled", isDisabled ? "true" : null);
      setText(find(setting, ".switch-state"), isOut ? WORDS.on : WORDS.off);
      setText(
        find(setting, ".switch-help"),
        table.match ? WORDS.match : mine ? WORDS.help : WORDS.noSeat,
      );
      setText(button, isOut ? WORDS.back : WORDS.out);
      setAttribute(button, "aria-disabled", waiting ? "true" : null);
    },
  };
}
