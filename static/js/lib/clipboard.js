/** Copies the text of a field. */
import { setText } from "./dom.js";
import { gettext } from "./i18n.js";

/** @param {HTMLInputElement} field @param {Element} output shows the result */
export async function copyText(field, output) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    setText(output, gettext("Link copied."));
  } catch {
    // Plain http in a local network has no clipboard; the older way may still do.
    const isCopied = document.execCommand("copy");
    setText(
      output,
      isCopied
        ? gettext("Link copied.")
        : gettext("The link is selected. Press Ctrl+C, or touch and hold it, to copy."),
    );
  }
}
