/** The names of piles, and the result of a game of them. */
import { gettext } from "../lib/i18n.js";

/**
 * @import { Piles, Table } from "../model/table_model.js"
 * @typedef {Wire.Pile|"deck"} Place
 * @typedef {{you: string|null}} Reader
 */

const NAMES = {
  house: gettext("Dealer's pile"),
  discard: gettext("Discard"),
  deck: gettext("Deck"),
};

/** "You win the game 31 to 17." @param {Piles} piles @param {string|null} player @param {string|null} you */
export function formatGameResult({ winner, player: own, house }, player, you) {
  if (winner === "draw") return gettext("The game is a draw, %(own)s each.", { own });
  if (winner === "house")
    return gettext("The dealer wins the game %(house)s to %(own)s.", { own, house });
  if (player === you) return gettext("You win the game %(own)s to %(house)s.", { own, house });
  if (!player) return gettext("The player wins the game %(own)s to %(house)s.", { own, house });
  return gettext("%(player)s wins the game %(own)s to %(house)s.", { player, own, house });
}

/**
 * What is written at a pile: "Your pile", "ann's pile", "Dealer's pile", "Discard".
 * @param {Place} pile @param {Table} table @param {Reader} reader
 */
export function getPileName(pile, table, { you }) {
  if (pile !== "player") return NAMES[pile];
  const { player } = table.seats[0];
  if (you !== null && player === you) return gettext("Your pile");
  return player ? gettext("%(player)s's pile", { player }) : gettext("Player's pile");
}
