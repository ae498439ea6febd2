/** The list of keys behind `?`, built when it is first opened. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, el, findAll } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { listKeys } from "./shortcuts.js";

/**
 * @import { Rules } from "../model/table_model.js"
 * @typedef {ReturnType<typeof listKeys>[number]} Group
 */

const ANY = {
  shown: [gettext("any other key")],
  does: gettext("Skip the animation"),
};

/** @param {{rules: Rules, openers: Element[]}} options */
export function createShortcutsDialog({ rules, openers }) {
  const dialog = byId("keys-dialog", HTMLDialogElement);
  const place = byId("keys-list");

  function open() {
    if (!place.childElementCount)
      place.append(...listKeys(rules).map(createGroup), createRows([ANY]));
    findAll(document, "dialog[open]", HTMLDialogElement)[0]?.close();
    dialog.showModal();
  }

  wireDialog(dialog);
  for (const opener of openers) opener.addEventListener("click", open);
  return { open };
}

/** @param {Group} group */
function createGroup({ name, keys }) {
  return el("section", {}, el("h3", {}, name), createRows(keys));
}

/** @param {Group["keys"]} keys */
function createRows(keys) {
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
