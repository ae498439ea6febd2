/** The links to a round: to copy, or to share with other programs. */
import { copyText } from "../lib/clipboard.js";
import { byId, findAll, setText } from "../lib/dom.js";

/** @param {ParentNode} root */
export function wireShare(root) {
  const output = byId("share-done");
  /** @param {string|undefined} id */
  const fieldOf = (id) => byId(id ?? "", HTMLInputElement);

  for (const field of findAll(root, "input[readonly]", HTMLInputElement))
    field.addEventListener("focus", () => field.select());
  for (const button of findAll(root, "[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      setText(output, ""); // so that the same text is announced again
      copyText(fieldOf(button.dataset.copy), output);
    });
  }
  for (const button of findAll(root, "[data-share]")) {
    button.hidden = !navigator.share;
    button.addEventListener("click", () => {
      navigator
        .share({ title: document.title, url: fieldOf(button.dataset.share).value })
        .catch(() => {});
    });
  }
}
