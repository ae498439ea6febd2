/** The switch of the own hints, in the settings of a table. It shows the server's last state, not the click. */
import { byId, el, find, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { findSeat } from "../model/table_model.js";

/** @import { Rules, Table } from "../model/table_model.js" */

const WORDS = {
  on: gettext("On"),
  off: gettext("Off"),
  label: gettext("Hints"),
  help: gettext(
    "The best action, and what each one is worth, for you alone. Everyone sees a mark at your seat.",
  ),
  ofPiles: gettext(
    "Your chances, and the action that is best for your pile on average, for you alone. Everyone sees a mark at your seat.",
  ),
  noSeat: gettext("Take a seat to turn hints on."),
  forbidden: gettext("Hints are not allowed at this table."),
};

/** @param {{rules: Rules, switchTo: (on: boolean) => void}} options */
export function createHintSwitch({ rules, switchTo }) {
  let isOn = false;
  let isDisabled = true;
  const button = el(
    "button",
    {
      type: "button",
      class: "switch",
      role: "switch",
      "data-setting": "hints",
      onclick: () => isDisabled || switchTo(!isOn),
      "aria-describedby": "help-hints",
      "aria-label": WORDS.label,
    },
    el(
      "span",
      { class: "switch-words" },
      el("b", {}, WORDS.label),
      el("span", { class: "switch-help", id: "help-hints" }),
    ),
    el("span", { class: "switch-state", "aria-hidden": "true" }),
  );
  byId("hint-switch").append(el("li", {}, button));

  /** @param {Table} table @param {boolean} hasSeat */
  function getHelp(table, hasSeat) {
    if (!table.hints_allowed) return WORDS.forbidden;
    if (!hasSeat) return WORDS.noSeat;
    return rules.piles ? WORDS.ofPiles : WORDS.help;
  }

  return {
    /** @param {Table} table @param {string|null} you @param {boolean} waiting */
    draw(table, you, waiting) {
      const mine = findSeat(table, you);
      isOn = Boolean(mine?.hints);
      isDisabled = waiting || !mine || !table.hints_allowed;
      setAttribute(button, "aria-checked", String(isOn));
      setAttribute(button, "aria-disabled", isDisabled ? "true" : null);
      setText(find(button, ".switch-state"), isOn ? WORDS.on : WORDS.off);
      setText(find(button, ".switch-help"), getHelp(table, Boolean(mine)));
    },
  };
}
