/**
 * The public table as the server words it, and how an event changes it. The full table of a
 * frame is the truth; stepping only shows the way there.
 *
 * @typedef {{cards: string[], total: number, soft: boolean, stake: number, doubled: boolean,
 *   outcome: string|null, payout: number}} Hand
 * @typedef {{seat: number, player: string|null, stake: number|null, leaving: boolean, hands: Hand[]}} Seat
 * @typedef {{cards: string[], total: number, soft: boolean}} Dealer
 * @typedef {{seat: number, hand: number, legal: string[]}} Asked
 * @typedef {{phase: string, turn: number, deadline: number|null, clock: number, round: number|null,
 *   seats: Seat[], dealer: Dealer, asked: Asked|null}} Table
 * @typedef {{type: string, [field: string]: any}} TableEvent
 */
import { FACE_DOWN, count } from "./cards.js";

/** A table from the wire, with the values that the wire leaves out. @returns {Table} */
export function readTable(wire) {
  return {
    ...wire,
    seats: wire.seats.map((seat) => ({
      player: null, stake: null, missed: 0, leaving: false, ...seat, hands: (seat.hands ?? []).map(readHand),
    })),
    dealer: { cards: [], total: 0, soft: false, ...wire.dealer },
  };
}

function readHand(hand) {
  return { soft: false, doubled: false, outcome: null, payout: 0, ...hand };
}

/** A copy that can be stepped without touching what was drawn. @param {Table} table @returns {Table} */
export function copyTable(table) {
  return structuredClone(table);
}

/** @param {Table} table @param {string|null} player @returns {Seat|undefined} */
export function seatOf(table, player) {
  return player ? table.seats.find((seat) => seat.player === player) : undefined;
}

/**
 * Whether the hand may still become another total: its player has not finished with it.
 * @param {Table} table @param {number} seat @param {number} hand
 */
export function isUndecided(table, seat, hand) {
  if (table.phase !== "playing" || table.isDealerPlaying) return false;
  if (!table.asked) return true;
  return seat > table.asked.seat || (seat === table.asked.seat && hand >= table.asked.hand);
}

const STEPS = {
  card_dealt(table, { seat, hand, card }) {
    openDeal(table);
    const place = seatAt(table, seat);
    if (!place.hands[hand - 1]) {
      place.hands[hand - 1] = newHand([], place.stake ?? 0);
      place.stake = null;
    }
    addCard(place.hands[hand - 1], card);
  },
  dealer_card_dealt(table, { card }) {
    openDeal(table);
    addCard(table.dealer, card ?? FACE_DOWN);
  },
  hole_card_peeked() {},
  hole_card_revealed(table, { card }) {
    table.isDealerPlaying = true;
    table.dealer.cards = table.dealer.cards.map((known) => (known === FACE_DOWN ? card : known));
    Object.assign(table.dealer, count(table.dealer.cards));
  },
  hand_stood() {},
  hand_doubled(table, { seat, hand, stake }) {
    const played = handAt(table, seat, hand);
    played.stake += stake;
    played.doubled = true;
  },
  hand_split(table, { seat, hand, stake }) {
    const [first, second] = handAt(table, seat, hand).cards;
    seatAt(table, seat).hands.splice(hand - 1, 1, newHand([first], stake), newHand([second], stake));
  },
  hand_settled(table, { seat, hand, outcome, stake, payout }) {
    Object.assign(handAt(table, seat, hand), { outcome, stake, payout });
  },
  player_sat(table, { seat, player }) {
    Object.assign(seatAt(table, seat), { player, hands: [] });
  },
  player_left(table, { seat }) {
    Object.assign(seatAt(table, seat), { player: null, stake: null, hands: [] });
  },
  bet_placed(table, { seat, stake }) {
    seatAt(table, seat).stake = stake;
  },
  bet_returned(table, { seat }) {
    seatAt(table, seat).stake = null;
  },
  clock_ran_out() {},
  clock_extended() {},
};

/**
 * Changes `table` by one event. Throws on an event that it does not know or that does not fit.
 * @param {Table} table @param {TableEvent} event
 */
export function step(table, event) {
  if (!Object.hasOwn(STEPS, event.type)) throw new Error(`Unknown event: ${event.type}`);
  table.asked = null;
  STEPS[event.type](table, event);
}

/** The first card of a round clears away the one before. */
function openDeal(table) {
  if (table.phase === "playing") return;
  table.phase = "playing";
  table.isDealerPlaying = false;
  table.dealer = { cards: [], total: 0, soft: false };
  for (const seat of table.seats) seat.hands = [];
}

function addCard(holder, card) {
  holder.cards.push(card);
  Object.assign(holder, count(holder.cards));
}

function newHand(cards, stake) {
  return { cards, ...count(cards), stake, doubled: false, outcome: null, payout: 0 };
}

function seatAt(table, number) {
  return table.seats[number - 1];
}

function handAt(table, seat, hand) {
  return seatAt(table, seat).hands[hand - 1];
}
