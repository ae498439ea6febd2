/** "Play again?", answered with yes, or by giving the seat back. */
import { el, setAttribute } from "./dom.js";

/** @param {{onYes: () => void, onNo: () => void}} options */
export function createAgain({ onYes, onNo }) {
  let isWaiting = false;
  const unlessWaiting = (answer) => () => isWaiting || answer();
  const yes = unlessWaiting(onYes);
  const no = unlessWaiting(onNo);
  const buttons = [
    answerButton("Yes, play again", "Y", yes),
    answerButton("No, leave", "N", no),
  ];

  return {
    node: el("div", { class: "actions is-again", role: "group", "aria-label": "Play again?" }, ...buttons),
    draw(waiting) {
      isWaiting = waiting;
      for (const button of buttons) setAttribute(button, "aria-disabled", waiting ? "true" : null);
    },
    yes,
    /** @param {string} key in capitals */
    press(key) {
      if (key === "Y") yes();
      if (key === "N") no();
    },
  };
}

function answerButton(text, key, onclick) {
  return el("button", { type: "button", class: "action", "data-answer": key, "aria-keyshortcuts": key, onclick },
    el("span", { class: "action-name" }, text), " ",
    el("kbd", { "aria-hidden": "true" }, key));
}
