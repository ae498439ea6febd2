/** The dealer, and the seats with their hands. */

import { el, find, getChildren, reconcile, setAttribute, setClasses, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import {
  findAsked,
  findOtherOffer,
  isClosedToNewcomers,
  isLockedFor,
  isTaken,
  mayBack,
} from "../model/table_model.js";
import { formatBackers } from "../text/behind.js";
import { getCardName } from "../text/cards.js";
import {
  formatDealerTotal,
  formatHandTotal,
  formatOrdinal,
  formatSigned,
  formatStake,
} from "../text/format.js";
import { isLost, isWon, OUTCOME_WORDS } from "../text/outcomes.js";
import { drawCards } from "./cards.js";
import { createPlate, drawPlate } from "./seat_plate.js";

/** @import { Hand, Rules, Seat, Table, TakenSeat } from "../model/table_model.js" */

const FREE = gettext("Free");
const TOTAL = gettext("Total");
const BET = gettext("Bet");
const BEHIND = gettext("Behind:");

/**
 * @typedef {{you: string|null, rules: Rules, quiet: boolean, isWaiting: boolean, isBarred: boolean, now: () => number,
 *   onSit: (seat: number) => void, onBack?: (seat: number) => void}} Manner `now` by the server's clock; `onBack`: bet behind a seat
 */

/** @param {HTMLElement} place @param {Table} table @param {Manner} manner */
export function drawDealer(place, table, { quiet, rules }) {
  if (!place.firstElementChild) {
    const name = gettext("Dealer");
    setAttribute(place, "aria-label", name);
    place.append(
      el("p", { class: "dealer-name" }, name),
      el("ol", {
        class: "cards",
        "aria-label": gettext("The dealer's cards"),
      }),
      el("p", { class: "hand-line" }, spoken(TOTAL), el("span", { class: "total" })),
    );
  }
  const [, cards, line] = getChildren(place);
  const dealerCards = table.isCollected ? [] : table.dealer.cards;
  drawCards(cards, dealerCards, { quiet, isDealers: true });
  setText(find(line, ".total"), dealerCards.length ? formatDealerTotal(table, rules) : "");
  getChildren(line)[0].hidden = !dealerCards.length;
  setClasses(place, {
    "is-active": Boolean(table.isDealerPlaying),
    "is-bust": table.dealer.total > 21,
    "is-empty": !dealerCards.length,
  });
}

/** @param {HTMLElement} list @param {Table} table @param {Manner} manner */
export function drawSeats(list, table, manner) {
  list.dataset.seats = String(table.seats.length);
  setClasses(list, { "has-mine": table.seats.some((seat) => isMine(seat, manner)) });
  reconcile(
    list,
    table.seats,
    (seat) => `${seat.seat}${seat.player === null ? "free" : "taken"}`,
    (seat) =>
      isTaken(seat) ? createTakenSeat(seat.seat, manner) : createFreeSeat(seat.seat, manner),
    (node, seat) =>
      isTaken(seat)
        ? drawTaken(node, seat, table, manner)
        : drawFree(node, seat.seat, table, manner),
  );
}

/** @param {Seat} seat @param {Manner} manner */
function isMine(seat, { you }) {
  return you !== null && seat.player === you;
}

/** @param {number} number @param {Manner} manner */
function createFreeSeat(number, { you, onSit }) {
  // A visitor's button posts the page's form: the server keeps the seat until the log-in.
  const press =
    you === null
      ? { type: "submit", form: "take-seat", formaction: `seats/${number}/` }
      : { type: "button", onclick: () => onSit(number) };
  return el(
    "li",
    { class: "seat is-free", "data-seat": number },
    el(
      "button",
      { class: "sit", ...press },
      el("span", { class: "sit-mark", "aria-hidden": "true" }, "+"),
      el("span", {}, gettext("Sit here")),
      el("span", { class: "visually-hidden" }, ` ${gettext("in seat %(number)s", { number })}`),
    ),
    el("p", { class: "free-note" }, FREE),
  );
}

/** @param {Element} node @param {number} number @param {Table} table @param {Manner} manner */
function drawFree(node, number, table, manner) {
  const isSeated = table.seats.some((seat) => isMine(seat, manner));
  const isLocked = isLockedFor(table, manner.you);
  const isOffered = Boolean(findOtherOffer(table, number, manner.you));
  const [button, note] = getChildren(node);
  button.hidden =
    isSeated || isLocked || isOffered || manner.isBarred || isClosedToNewcomers(table);
  note.hidden = !button.hidden;
  // The host may sit down at a locked table, but sees no button once seated.
  setText(note, table.locked ? gettext("Locked") : isOffered ? gettext("Offered") : FREE);
  setAttribute(button, "aria-disabled", manner.isWaiting ? "true" : null);
}

/** @param {number} number @param {Manner} manner */
function createTakenSeat(number, { onBack }) {
  return el(
    "li",
    { class: "seat", "data-seat": number },
    createPlate(),
    el("div", { class: "hands" }),
    el(
      "div",
      { class: "behind" },
      el("p", { class: "backers" }, el("span", { class: "backers-word" }, BEHIND), el("span", {})),
      onBack
        ? el(
            "button",
            { type: "button", class: "back-seat", onclick: () => onBack(number) },
            el("span", {}, ""),
            el("span", { class: "visually-hidden" }, ""),
          )
        : "",
    ),
  );
}

/**
 * Who bets behind the seat, and the button of who may.
 * @param {HTMLElement} node @param {TakenSeat} seat @param {Table} table @param {Manner} manner
 */
function drawBehind(node, seat, table, { you, onBack, isWaiting }) {
  const [backers, button] = getChildren(node);
  const names = formatBackers(seat, table, you);
  backers.hidden = !names;
  setText(backers.children[1], names);
  const mayBet = Boolean(onBack) && mayBack(table, seat, you);
  if (button) {
    const own = seat.behind.some((one) => one.player === you);
    button.hidden = !mayBet;
    setText(button.children[0], own ? gettext("Change") : gettext("Bet behind"));
    setText(button.children[1], ` ${seat.player}`);
    setAttribute(button, "aria-disabled", isWaiting ? "true" : null);
  }
  node.hidden = !names && !mayBet;
}

/** @param {Element} node @param {TakenSeat} seat @param {Table} table @param {Manner} manner */
function drawTaken(node, seat, table, manner) {
  const [plate, hands, behind] = getChildren(node);
  const mine = isMine(seat, manner);
  setClasses(node, {
    "is-mine": mine,
    "is-asked": Boolean(findAsked(table, seat.seat)),
    "has-hands": seat.hands.length > 0,
  });
  drawPlate(plate, seat, table, { isMine: mine, rules: manner.rules, now: manner.now });
  reconcile(
    hands,
    table.isCollected ? [] : seat.hands, // A total would stand there without its cards.
    (_, index) => `${index}`,
    createHand,
    (holder, hand, index) => {
      drawHand(holder, seat, hand, index + 1, table, manner);
    },
  );
  setClasses(hands, { "are-many": seat.hands.length > 1 });
  hands.dataset.hands = String(seat.hands.length);
  drawBehind(behind, seat, table, manner);
}

/** A word before a bare number, for who hears it. @param {string} word */
function spoken(word) {
  return el("span", { class: "visually-hidden" }, ` ${word} `);
}

function createHand() {
  return el(
    "div",
    { class: "hand", role: "group" },
    el("ol", { class: "cards" }),
    el("p", { class: "cards-words" }), // where the cards have no room
    el(
      "p",
      { class: "hand-line" },
      spoken(TOTAL),
      el("span", { class: "total" }),
      spoken(BET),
      el("span", { class: "stake has-chip" }),
      el("span", { class: "outcome" }),
    ),
  );
}

/**
 * @param {Element} node @param {TakenSeat} seat @param {Hand} hand @param {number} number
 * @param {Table} table @param {Manner} manner
 */
function drawHand(node, seat, hand, number, table, manner) {
  const [cards, words, line] = getChildren(node);
  const [, total, betWord, stake, outcome] = getChildren(line);
  const { rules } = manner;
  setAttribute(node, "aria-label", getHandName(seat, number, isMine(seat, manner)));
  drawCards(cards, hand.cards, {
    quiet: manner.quiet,
    key: `${seat.seat}/`,
  });
  setText(words, hand.cards.map(getCardName).join(", "));
  setText(total, formatHandTotal(table, seat.seat, number));
  stake.hidden = !rules.stakes || Boolean(hand.outcome);
  betWord.hidden = stake.hidden || rules.matched; // A pot is called so.
  const staked = formatStake(hand.stake, rules);
  setText(stake, hand.doubled ? gettext("%(stake)s, doubled", { stake: staked }) : staked);
  outcome.hidden = !hand.outcome;
  if (hand.outcome) {
    outcome.dataset.outcome = hand.outcome;
    setText(outcome, formatOutcome(hand, hand.outcome, rules));
  }
  setClasses(node, {
    "is-asked": findAsked(table, seat.seat)?.hand === number,
    "is-over": Boolean(hand.outcome),
    "is-lost": isLost(hand),
    "is-won": isWon(hand),
  });
}

/**
 * "Your hand", "ann's second hand".
 * @param {TakenSeat} seat @param {number} number @param {boolean} isMine
 */
function getHandName({ player, hands }, number, isMine) {
  const hand = formatOrdinal(number);
  if (hands.length > 1)
    return isMine
      ? gettext("Your %(hand)s hand", { hand })
      : gettext("%(player)s's %(hand)s hand", { player, hand });
  return isMine ? gettext("Your hand") : gettext("%(player)s's hand", { player });
}

/** @param {Hand} hand @param {Wire.Outcome} outcome @param {Rules} rules */
function formatOutcome(hand, outcome, rules) {
  const net = hand.payout - hand.stake;
  const word = OUTCOME_WORDS[outcome];
  if (!rules.stakes || net === 0) return word;
  return `${word} ${formatSigned(net)}`;
}
