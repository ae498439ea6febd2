/** Copies the text of a field. */
import { setText } from "./dom.js";
import { gettext } from "./i18n.js";

/** @param {HTMLInputElement} field @param {Element} done shows the result */
export async function copyText(field, done) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    setText(done, gettext("The link is copied."));
  } catch {
    // Plain http in a local network has no clipboard; the older way may still do.
    const isCopied = document.execCommand("copy");
    setText(
      done,
      isCopied
        ? gettext("The link is copied.")
        : gettext("The link is marked: copy it with Ctrl+C, or hold it."),
    );
  }
}
