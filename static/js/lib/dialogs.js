/** Dialogs with a button to open and one to close, and a confirmation dialog. */
import { byId, setText } from "./dom.js";

/**
 * A dialog with a button that opens it; elements with `data-closes`, Escape, and a press beside it close it.
 * @param {HTMLDialogElement} dialog @param {HTMLElement|null} [opener] @param {() => void} [onOpen]
 */
export function wireDialog(dialog, opener = null, onOpen = () => {}) {
  opener?.addEventListener("click", () => {
    onOpen();
    dialog.showModal();
  });
  dialog.querySelector("[data-closes]")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener(
    "click",
    (event) => event.target === dialog && isBeside(dialog, event) && dialog.close(),
  );
}

/**
 * A press on the dialog's own edge is not one beside it.
 * @param {HTMLDialogElement} dialog @param {MouseEvent} event
 */
function isBeside(dialog, { clientX: x, clientY: y }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}

/**
 * @typedef {{title: string, text: string, yes: string}} Question
 * @typedef {((question: Question) => Promise<boolean>) & {cancel: () => void}} Ask `cancel` answers no to
 *   an open question, which has lost its meaning.
 * @returns {Ask}
 */
export function createConfirmDialog() {
  const dialog = byId("sure-dialog", HTMLDialogElement);
  /** @type {(isYes: boolean) => void} */
  let answer = () => {};
  /** @param {boolean} isYes */
  function close(isYes) {
    dialog.close();
    answer(isYes);
  }
  byId("sure-no").addEventListener("click", () => close(false));
  byId("sure-yes").addEventListener("click", () => close(true));
  // Escape leaves it as it is. This comes a little later: the next question may be open by then.
  dialog.addEventListener("close", () => dialog.open || answer(false));
  /** @param {Question} question @returns {Promise<boolean>} */
  function ask({ title, text, yes }) {
    setText(byId("sure-title"), title);
    setText(byId("sure-text"), text);
    setText(byId("sure-yes"), yes);
    dialog.showModal();
    return new Promise((resolve) => {
      answer = resolve;
    });
  }
  return Object.assign(ask, { cancel: () => dialog.open && close(false) });
}
