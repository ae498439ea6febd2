/** Dialogs: they open from a button, close by one, and can ask "are you sure?". */
import { byId, setText } from "./dom.js";

/**
 * A dialog with a button that opens it; what is marked `data-closes`, Escape, and a press beside it close it.
 * @param {HTMLDialogElement} dialog @param {HTMLElement|null} [opener] @param {() => void} [onOpen]
 */
export function wireDialog(dialog, opener = null, onOpen = () => {}) {
  opener?.addEventListener("click", () => {
    onOpen();
    dialog.showModal();
  });
  dialog.querySelector("[data-closes]")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && isBeside(dialog, event) && dialog.close());
}

/** A press on the dialog's own edge is not one beside it. */
function isBeside(dialog, { clientX: x, clientY: y }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}

/** @returns {(question: {title: string, text: string, yes: string}) => Promise<boolean>} */
export function createSure() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("sure-dialog"));
  byId("sure-no").addEventListener("click", () => dialog.close("no"));
  byId("sure-yes").addEventListener("click", () => dialog.close("yes"));
  return ({ title, text, yes }) => {
    setText(byId("sure-title"), title);
    setText(byId("sure-text"), text);
    setText(byId("sure-yes"), yes);
    dialog.returnValue = "no"; // Escape leaves it as it is.
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    });
  };
}
