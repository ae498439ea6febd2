/** Bets behind, as sentences. */
import { gettext } from "../lib/i18n.js";
import { findBacking } from "../model/table_model.js";
import { formatMoney } from "./format.js";

/** @import { Backer, Seat, Table } from "../model/table_model.js" */

/** All stakes of a bet behind, in hundredths. @param {Backer} backer */
export const sumStakes = ({ stakes }) => stakes.reduce((sum, stake) => sum + stake, 0);

/**
 * Who backs a seat, with what: "dora 20, you 10"; "" if nobody does.
 * @param {Seat} seat @param {Table} table @param {string|null} you
 */
export function formatBackers(seat, table, you) {
  const backers = table.phase === "betting" && seat.behind.length ? seat.behind : seat.backed;
  const all = table.phase === "betting" && seat.stake !== null ? seat.behind : backers;
  return all
    .map((one) => {
      const name = one.player === you ? gettext("you") : one.player;
      return `${name} ${formatMoney(sumStakes(one))}`;
    })
    .join(", ");
}

/**
 * What became of my bet behind, or that I have one: the sentence, and whether it is a result.
 * @param {Table} table @param {string|null} you
 * @returns {{text: string, net: number|null}|null} `net` in hundredths once the round is over
 */
export function formatOwnBacking(table, you) {
  const found = findBacking(table, you);
  if (!found) return null;
  const { seat, backer, isNext } = found;
  const values = { name: seat.player ?? "", stake: formatMoney(sumStakes(backer)) };
  const isOver = !isNext && seat.hands.length > 0 && seat.hands.every((hand) => hand.outcome);
  if (!isOver) return { text: gettext("You bet %(stake)s behind %(name)s.", values), net: null };
  const net = backer.payout - sumStakes(backer);
  const won = { ...values, net: formatMoney(Math.abs(net)) };
  if (net > 0) return { text: gettext("You win %(net)s behind %(name)s.", won), net };
  if (net < 0) return { text: gettext("You lose %(net)s behind %(name)s.", won), net };
  return { text: gettext("Your %(stake)s behind %(name)s is returned.", values), net };
}
