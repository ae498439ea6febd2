/** Where cards are the score: the piles, the discard and the deck, all face down. */
import { el, reconcile, setClasses, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { cardCount } from "../text/format.js";

const SLIDE = { duration: 480, easing: "cubic-bezier(0.4, 0, 0.2, 1)", fill: "backwards" };
const BETWEEN_CARDS = 45;
const FULL_DECK = 52;
const NAMES = {
  house: gettext("House's pile"),
  discard: gettext("Discard"),
  deck: gettext("Deck"),
};

/** "You win the game 31 to 17." @param {import("../model/table_model.js").Piles} piles @param {string|null} player */
export function gameResult({ winner, player: own, house }, player, you) {
  if (winner === "draw") return gettext("The game is drawn, %(own)s each.", { own });
  if (winner === "house")
    return gettext("The house wins the game %(house)s to %(own)s.", { own, house });
  if (player === you) return gettext("You win the game %(own)s to %(house)s.", { own, house });
  if (!player) return gettext("The player wins the game %(own)s to %(house)s.", { own, house });
  return gettext("%(player)s wins the game %(own)s to %(house)s.", { player, own, house });
}

/** What is written at a pile: "Your pile", "ann's pile", "House's pile", "Discard". */
export function pileName(pile, table, { you }) {
  if (pile !== "player") return NAMES[pile];
  const { player } = table.seats[0];
  if (you !== null && player === you) return gettext("Your pile");
  return player ? gettext("%(player)s's pile", { player }) : gettext("Player's pile");
}

/** @param {HTMLElement} list @param {() => Iterable<Element>} cardsOnTable */
export function createPiles(list, cardsOnTable) {
  let wereCollected = true;

  /** The cards that lie on the table slide, face down, to the pile that grew. */
  function slideTo(pile) {
    const target = list.querySelector(`[data-pile="${pile}"] .stack`).getBoundingClientRect();
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
    /** Draws the stacks. Before the cards on the felt are drawn: those that are collected slide. */
    draw(table, manner) {
      list.hidden = !table.piles;
      if (!table.piles) return;
      const { piles, isCollected } = table;
      const grown = ["player", "house", "discard"].find(
        (pile) => piles[pile] > Number(list.querySelector(`[data-pile="${pile}"]`)?.dataset.cards),
      );
      reconcile(list, ["deck", "house", "player", "discard"], String, newPile, (node, pile) => {
        const cards = piles[pile];
        node.dataset.cards = cards;
        node.style.setProperty("--share", Math.min(1, cards / FULL_DECK));
        setClasses(node, { "is-none": !cards });
        setText(node.querySelector(".pile-name"), pileName(pile, table, manner));
        setText(node.querySelector(".pile-count"), cardCount(cards));
      });
      if (isCollected && !wereCollected && grown && !manner.quiet) slideTo(grown);
      wereCollected = isCollected;
    },
  };
}

function newPile(pile) {
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
