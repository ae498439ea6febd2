/** The cards of a hand, drawn on the table. */
import { el, find, reconcile, setClasses } from "../lib/dom.js";
import { FACE_DOWN } from "../model/card_values.js";
import { getCardName } from "../text/cards.js";

/** U+FE0E keeps them text where a phone would draw a picture. @type {Record<string, string>} */
const SUIT_SIGNS = { s: "\u2660\uFE0E", h: "\u2665\uFE0E", d: "\u2666\uFE0E", c: "\u2663\uFE0E" };

/** The number of places in a row before the second card, so that the first card does not move for it. */
const DEALT = 2;

/**
 * Draws a hand's cards into a list. Cards that were not there are marked as new, for animations.js, and
 * a card that was face down turns over; `quiet` draws them without either.
 * @param {HTMLElement} list
 * @param {string[]} cards
 * @param {{quiet: boolean, isDealers?: boolean, key?: string}} options
 */
export function drawCards(list, cards, { quiet, isDealers = false, key = "" }) {
  list.style.setProperty("--places", String(Math.max(cards.length, DEALT))); // see cards.css
  reconcile(
    list,
    cards,
    (card, index) => (isDealers ? `${index}` : `${key}${index}${card}`),
    (card) => el("li", { class: "slot" }, createCardFace(card, quiet ? "" : "is-new")),
    (slot, card) => {
      const face = find(slot, ".card");
      if (face.dataset.card === card) return;
      const isTurning = face.dataset.card === FACE_DOWN && !quiet;
      face.replaceWith(createCardFace(card, isTurning ? "turns" : ""));
    },
  );
}

/** @param {string} card @param {string} motion */
function createCardFace(card, motion) {
  const face = el("div", {
    class: `card ${motion}`.trim(),
    role: "img",
    "aria-label": getCardName(card),
    "data-card": card,
  });
  setClasses(face, { "is-down": card === FACE_DOWN });
  if (card === FACE_DOWN) return face;
  face.dataset.suit = card[1];
  const sign = SUIT_SIGNS[card[1]];
  face.append(
    el(
      "span",
      { class: "corner" },
      el("span", { class: "rank" }, card[0] === "T" ? "10" : card[0]),
      el("span", { class: "suit" }, sign),
    ),
    el("span", { class: "pip" }, sign),
  );
  return face;
}
