/** Announcements while a dialog is open: the page behind a dialog is inert, and so are its live regions. */
import { el, findAll } from "../lib/dom.js";

const LIVE = "[role=alert], [role=status], [role=log], [aria-live]";
const MOST_LINES = 8;

/** Repeats the announcements of the page in the open dialog. */
export function speakInDialogs() {
  for (const dialog of findAll(document, "dialog", HTMLDialogElement)) {
    // They are created empty: screen readers ignore the first text of a new live region.
    dialog.append(
      el("div", { class: "visually-hidden", "data-voice": "polite", "aria-live": "polite" }),
      el("div", { class: "visually-hidden", "data-voice": "alert", role: "alert" }),
    );
    dialog.addEventListener("close", () => {
      for (const voice of findAll(dialog, "[data-voice]")) voice.replaceChildren();
    });
  }
  const observer = new MutationObserver((records) => {
    const dialog = findFrontDialog();
    if (dialog) for (const record of records) repeat(record, dialog);
  });
  for (const region of findAll(document, LIVE))
    if (!region.closest("dialog"))
      observer.observe(region, { childList: true, characterData: true, subtree: true });
}

/** The open dialog that has the focus: a question may lie over another one. */
function findFrontDialog() {
  return (
    document.activeElement?.closest("dialog[open]")
    ?? findAll(document, "dialog[open]", HTMLDialogElement).at(-1)
  );
}

/** @param {MutationRecord} record @param {Element} dialog */
function repeat({ target, addedNodes }, dialog) {
  const element = target instanceof Element ? target : target.parentElement;
  const region = element?.closest(LIVE);
  if (!region || region.getAttribute("aria-live") === "off" || !region.checkVisibility()) return;
  const added = target instanceof Text ? [target] : [...addedNodes];
  const text = added.map(({ textContent }) => textContent?.trim()).join(" ");
  if (!text) return;
  const kind = region.getAttribute("role") === "alert" ? "alert" : "polite";
  const voice = dialog.querySelector(`[data-voice=${kind}]`);
  voice?.append(el("p", {}, text));
  while (voice && voice.childElementCount > MOST_LINES) voice.firstElementChild?.remove();
}
