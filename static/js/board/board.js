/** The board: cards, seats, the shoe and the piles. */

import { byId } from "../lib/dom.js";
import { createAnimations } from "./animations.js";
import { createPiles } from "./piles.js";
import { drawDealer, drawSeats } from "./seats.js";
import { createShoe } from "./shoe.js";

/**
 * @import { Rules, Table } from "../model/table_model.js"
 * @import { Manner } from "./seats.js"
 */

/** @param {Rules} rules @param {{hasShoe?: boolean}} [options] `hasShoe`: the page shows the shoe and its seal */
export function createBoard(rules, { hasShoe = true } = {}) {
  const dealer = byId("dealer");
  const seats = byId("seats");
  const shoe = hasShoe ? createShoe(byId("shoe"), rules) : null;
  const animations = createAnimations({ felt: byId("felt"), hand: byId("console") });
  const piles = createPiles(byId("piles"), () => [
    ...dealer.querySelectorAll(".card"),
    ...seats.querySelectorAll(".card"),
  ]);

  return {
    /** An event that is about to be drawn: it may set something in animations. */
    hear: animations.hear,
    /** @param {Table} table @param {Manner} manner */
    draw(table, manner) {
      piles.draw(table, manner);
      drawDealer(dealer, table, manner);
      drawSeats(seats, table, manner);
      shoe?.draw(table);
      animations.run(manner);
    },
  };
}
