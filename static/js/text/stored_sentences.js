/**
 * Sentences of the site that the server stores for all readers, in English: why a round was broken
 * off, or why a table waits. What an operator typed instead is shown as it is.
 */
import { gettext, gettext_noop } from "../lib/i18n.js";

const STORED = new Set([
  gettext_noop("The site was updated and the round could not continue."),
  gettext_noop("The site was down for more than a day."),
  gettext_noop(
    "The site was restored from a backup. Rounds in play were cancelled and every bet returned. The secret of every shoe was revealed, and new shoes were sealed.",
  ),
  gettext_noop("The shoe ran out of cards."),
  gettext_noop("The dealer is out of chips. The table continues after a refill."),
  gettext_noop("The host takes a break, for two hours at most."),
  gettext_noop("An operator is checking something."),
  gettext_noop("The table was closed."),
]);

/** @param {string} text */
export function translateStored(text) {
  return STORED.has(text) ? gettext(text) : text;
}
