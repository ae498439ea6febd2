/**
 * The public table as the server words it. The full table of a frame is the truth; the events of
 * apply_event.js only show the way there.
 *
 * @typedef {{cards: string[], total: number, soft: boolean, stake: number, doubled: boolean,
 *   outcome: string|null, payout: number}} Hand
 * @typedef {{stake: number, payout: number, settled: boolean}} Insurance
 * @typedef {{seat: number, player: string|null, stake: number|null, leaving: boolean, hands: Hand[],
 *   insurance: Insurance|null, tally: {won: number, lost: number, pushed: number}|null,
 *   since: number|null, net: number, away: number|null, idle: number|null}} Seat
 * @typedef {{cards: string[], total: number, soft: boolean}} Dealer
 * @typedef {{seat: number, hand: number, legal: string[]}} Asked
 * @typedef {{id: number, commitment: string, size: number, left: number, cut: number|null}} Shoe
 * @typedef {{player: number, house: number, discard: number, deck: number, game_over: boolean,
 *   winner: string|null}} Piles
 * @typedef {{phase: string, turn: number, deadline: number|null, clock: number, round: number|null,
 *   seats: Seat[], dealer: Dealer, asked: Asked|null, shoe: Shoe|null, rack: number|null,
 *   piles: Piles|null, maker: string|null, locked: boolean, private: boolean, chat: boolean,
 *   closing: boolean, paused: string|null, watchers: number, edition: string, isCollected: boolean, isDealerPlaying?: boolean}} Table
 */

/** A table from the wire, with the values that the wire leaves out. @returns {Table} */
export function readTable(wire) {
  return {
    shoe: null,
    rack: null,
    piles: null,
    maker: null,
    locked: false,
    private: false,
    chat: true,
    closing: false,
    paused: null,
    watchers: 0,
    ...wire,
    seats: wire.seats.map((seat) => ({
      player: null,
      stake: null,
      missed: 0,
      leaving: false,
      insurance: null,
      tally: null,
      since: null,
      net: 0,
      away: null,
      idle: null,
      ...seat,
      hands: (seat.hands ?? []).map(readHand),
    })),
    dealer: { cards: [], total: 0, soft: false, ...wire.dealer },
    isCollected: Boolean(wire.piles) && wire.phase === "betting",
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

/** Whether a free seat is not for this player: the table is locked, and somebody else's. @param {Table} table */
export function isLockedFor(table, player) {
  return table.locked && (player === null || table.maker !== player);
}

/** Whether this player is the one whom the table waits for. */
export function isAsked(table, player) {
  return Boolean(table?.asked) && seatOf(table, player)?.seat === table.asked.seat;
}

/** Whether the question is that of insurance, before any hand is played. @param {Table} table */
export function asksInsurance(table) {
  return Boolean(table.asked?.legal.includes("decline"));
}

/** Whether this seat has still to say if it plays again. @param {Table} table */
export function asksAgain(table, seat, rules) {
  return (
    rules.again
    && table.phase === "betting"
    && table.paused === null
    && seat.stake === null
    && !seat.leaving
    && seat.hands.length > 0
  );
}

/**
 * Whether the hand may still become another total: its player has not finished with it.
 * @param {Table} table @param {number} seat @param {number} hand
 */
export function isUndecided(table, seat, hand) {
  if (table.phase !== "playing" || table.isDealerPlaying) return false;
  if (!table.asked || asksInsurance(table)) return true;
  return seat > table.asked.seat || (seat === table.asked.seat && hand >= table.asked.hand);
}

/** Whether this player has still to say if they play again. @param {Table} table */
export function isAskedAgain(table, player, rules) {
  const seat = seatOf(table, player);
  return Boolean(seat) && asksAgain(table, seat, rules);
}

/** Whether the player of this seat has still to bet on the coming round. @param {Table} table */
export function isAwaited(table, seat) {
  return (
    table.phase === "betting"
    && table.paused === null
    && seat.player !== null
    && seat.stake === null
    && !seat.leaving
  );
}

/** Whether a card was dealt from the shoe that is in use. @param {Shoe|null} shoe */
export function isShoeUsed(shoe) {
  return !shoe || shoe.left < shoe.size;
}

/** What lay on the seat's first hand before it was doubled; null without a stake. */
export function baseStake(hand) {
  return hand?.stake ? (hand.doubled ? hand.stake / 2 : hand.stake) : null;
}
