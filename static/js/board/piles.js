/** The piles of a game of `piles`: of player and dealer, the discard and the deck, all face down. */
import { el, find, reconcile, setClasses, setText } from "../lib/dom.js";
import { formatCardCount } from "../text/format.js";
import { getPileName } from "../text/piles.js";

/**
 * @import { Table } from "../model/table_model.js"
 * @import { Place, Reader } from "../text/piles.js"
 */

/** @type {KeyframeAnimationOptions} */
const SLIDE = { duration: 480, easing: "cubic-bezier(0.4, 0, 0.2, 1)", fill: "backwards" };
const BETWEEN_CARDS = 45;
const FULL_DECK = 52;
/** @type {Wire.Pile[]} */
const GROWING = ["player", "house", "discard"];
/** @type {Place[]} */
const PLACES = ["deck", "house", "player", "discard"];

/** @param {HTMLElement} list @param {() => Iterable<Element>} cardsOnTable */
export function createPiles(list, cardsOnTable) {
  let wereCollected = true;
  /** @type {Map<Place, number>} */
  const drawn = new Map();

  /** The cards that lie on the table slide, face down, to the pile that grew. @param {Wire.Pile} pile */
  function slideTo(pile) {
    const target = find(list, `[data-pile="${pile}"] .stack`).getBoundingClientRect();
    [...cardsOnTable()].forEach((card, index) => {
      const from = card.getBoundingClientRect();
      const copy = el("div", { class: "card is-down slides", "aria-hidden": "true" });
      copy.style.setProperty("--card-w", `${from.width}px`);
      copy.style.left = `${from.left}px`;
      copy.style.top = `${from.top}px`;
      document.body.append(copy);
      const path = `translate(${target.left - from.left}px, ${target.top - from.top}px) scale(${target.width / from.width})`;
      const slide = copy.animate([{ transform: "none" }, { transform: path }], {
        ...SLIDE,
        delay: index * BETWEEN_CARDS,
      });
      slide.finished.finally(() => copy.remove());
    });
  }

  return {
    /**
     * Draws the stacks. Before the cards on the felt are drawn: those that are collected slide.
     * @param {Table} table @param {Reader & {quiet: boolean}} manner
     */
    draw(table, manner) {
      list.hidden = !table.piles;
      if (!table.piles) return;
      const { piles, isCollected } = table;
      const grown = GROWING.find((pile) => piles[pile] > (drawn.get(pile) ?? Number.NaN));
      reconcile(list, PLACES, String, createPile, (node, pile) => {
        const cards = piles[pile];
        drawn.set(pile, cards);
        node.dataset.cards = String(cards);
        node.style.setProperty("--share", String(Math.min(1, cards / FULL_DECK)));
        setClasses(node, { "is-none": !cards });
        setText(find(node, ".pile-name"), getPileName(pile, table, manner));
        setText(find(node, ".pile-count"), formatCardCount(cards));
      });
      if (isCollected && !wereCollected && grown && !manner.quiet) slideTo(grown);
      wereCollected = isCollected;
    },
  };
}

/** @param {Place} pile */
function createPile(pile) {
  return el(
    "li",
    { class: "pile", "data-pile": pile },
    el("span", { class: "stack", "aria-hidden": "true" }, el("span", { class: "card is-down" })),
    el(
      "span",
      { class: "pile-words" },
      el("span", { class: "pile-name" }),
      " ",
      el("span", { class: "pile-count" }),
    ),
  );
}
