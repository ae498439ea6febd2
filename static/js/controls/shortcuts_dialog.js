/** The list of keys, as `?` shows it: made of the table of keys itself when it is first asked for. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, el } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { listOfKeys } from "./shortcuts.js";

const ANY = {
  shown: [gettext("any other key")],
  does: gettext("Skip to the end of what is being shown"),
};

/** @param {{rules: object, openers: Element[]}} options */
export function createKeysDialog({ rules, openers }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("keys-dialog"));
  const place = byId("keys-list");

  function open() {
    if (!place.childElementCount) place.append(...listOfKeys(rules).map(newGroup), newRows([ANY]));
    document.querySelector("dialog[open]")?.close();
    dialog.showModal();
  }

  wireDialog(dialog);
  for (const opener of openers) opener.addEventListener("click", open);
  return { open };
}

function newGroup({ name, keys }) {
  return el("section", {}, el("h3", {}, name), newRows(keys));
}

function newRows(keys) {
  return el(
    "dl",
    { class: "key-rows" },
    ...keys.map(({ shown, does }) =>
      el(
        "div",
        { class: "key-row" },
        el(
          "dt",
          {},
          ...shown.flatMap((key, index) => [index ? ` ${gettext("or")} ` : "", el("kbd", {}, key)]),
        ),
        el("dd", {}, does),
      ),
    ),
  );
}
