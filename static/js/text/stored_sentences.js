/**
 * Sentences of the site that the server stores for all readers, in English: why a round was broken
 * off, or why a table waits. What an operator typed instead is shown as it is.
 */
import { gettext, gettext_noop } from "../lib/i18n.js";

const STORED = new Set([
  gettext_noop("The round could not be gone on with after the house was changed."),
  gettext_noop("The house was closed for more than a day."),
  gettext_noop(
    "The house was restored from a backup or a copy, or has lost what it wrote last. Rounds that were being played are void, and every stake is back. Every shoe was opened, and a new one is sealed.",
  ),
  gettext_noop("The shoe had no cards left for it."),
  gettext_noop("The house is bringing the dealer more chips; then the table goes on."),
]);

/** @param {string} text */
export function translateStored(text) {
  return STORED.has(text) ? gettext(text) : text;
}
