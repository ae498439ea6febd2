/** A row of large buttons with keys: "play again?", and the choices for a bet that is placed. */
import { el, setAttribute } from "../lib/dom.js";
import { getKey } from "./shortcuts.js";

/**
 * @param {{label: string, choices: {command: string, words: string, isQuiet?: boolean, isFor?: boolean, does: () => void}[]}} options
 *   in the order of the buttons
 */
export function createChoiceButtons({ label, choices }) {
  const offered = choices.filter(({ isFor }) => isFor !== false);
  let isWaiting = false;

  /** @param {string} command */
  function run(command) {
    const choice = offered.find((one) => one.command === command);
    if (!choice || isWaiting) return false;
    choice.does();
    return true;
  }

  const buttons = offered.map(({ command, words, isQuiet }) =>
    el(
      "button",
      {
        type: "button",
        class: `action${isQuiet ? " is-quiet" : ""}`,
        "data-command": command,
        "aria-keyshortcuts": getKey(command),
        onclick: () => run(command),
      },
      el("span", { class: "action-name" }, words),
      " ",
      el("kbd", { "aria-hidden": "true" }, getKey(command)),
    ),
  );

  return {
    node: el("div", { class: "actions is-choice", role: "group", "aria-label": label }, ...buttons),
    run,
    /** @param {boolean} waiting */
    draw(waiting) {
      isWaiting = waiting;
      for (const button of buttons) setAttribute(button, "aria-disabled", waiting ? "true" : null);
    },
  };
}
