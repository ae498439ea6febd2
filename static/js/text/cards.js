/** The names of cards. */
import { gettext } from "../lib/i18n.js";
import { FACE_DOWN } from "../model/card_values.js";

/** @type {Record<string, string>} */
const RANK_NAMES = {
  A: gettext("ace"),
  2: gettext("two"),
  3: gettext("three"),
  4: gettext("four"),
  5: gettext("five"),
  6: gettext("six"),
  7: gettext("seven"),
  8: gettext("eight"),
  9: gettext("nine"),
  T: gettext("ten"),
  J: gettext("jack"),
  Q: gettext("queen"),
  K: gettext("king"),
};
/** @type {Record<string, string>} */
const SUIT_NAMES = {
  s: gettext("spades"),
  h: gettext("hearts"),
  d: gettext("diamonds"),
  c: gettext("clubs"),
};

/** "As" → "ace of spades". @param {string} card */
export function getCardName(card) {
  if (card === FACE_DOWN) return gettext("hole card, face down");
  return gettext("%(rank)s of %(suit)s", { rank: RANK_NAMES[card[0]], suit: SUIT_NAMES[card[1]] });
}
