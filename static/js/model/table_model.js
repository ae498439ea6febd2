/**
 * The public table of a frame, with all fields. The server sends the whole table; the events of
 * apply_event.js are only for the playback.
 *
 * @typedef {Required<Wire.PublicHand>} Hand
 * @typedef {Wire.PublicInsurance} Insurance
 * @typedef {Required<Wire.PublicBacker>} Backer
 * @typedef {Required<Omit<Wire.PublicSeat, "hands"|"commitment"|"behind"|"backed">> & {hands: Hand[], commitment?: string|null, behind: Backer[],
 *   backed: Backer[]}} Seat
 * @typedef {Seat & {player: string}} TakenSeat
 * @typedef {Required<Wire.PublicDealer>} Dealer
 * @typedef {Required<Wire.PublicQueueEntry>} QueueEntry
 * @typedef {Wire.PublicShoe} Shoe
 * @typedef {Wire.PublicPiles} Piles
 * @typedef {Required<Omit<Wire.PublicTable, "seats"|"dealer"|"queue">> & {seats: Seat[], dealer: Dealer, queue: QueueEntry[], isCollected: boolean,
 *   isDealerPlaying?: boolean}} Table
 * @typedef {Wire.TableRules} Rules
 * @typedef {{number: number, seat: number|null, until: number|null}} Place in line, from 1; `seat` is offered until `until`
 */

export const EMPTY_SEAT = {
  player: null,
  colour: null,
  stake: null,
  insurance: null,
  tally: null,
  since: null,
  net: 0,
  chips: null,
  top_ups: 0,
  asks: false,
  hints: false,
  sitting_out: false,
  rounds_out: 0,
  bank: null,
  away: null,
  idle: null,
};

const EMPTY_TABLE = {
  on_bank: false,
  stack: null,
  top_ups: 0,
  behind: false,
  paused_by_host: false,
  match: null,
};

/**
 * A table from the wire, with the values that the wire leaves out.
 * @param {Wire.PublicTable} wire @returns {Table}
 */
export function readTable(wire) {
  return {
    ...EMPTY_TABLE,
    ...wire,
    seats: wire.seats.map((seat) => ({
      ...EMPTY_SEAT,
      missed: 0,
      leaving: false,
      answered: false,
      ...seat,
      hands: (seat.hands ?? []).map(readHand),
      behind: (seat.behind ?? []).map(readBacker),
      backed: (seat.backed ?? []).map(readBacker),
    })),
    queue: wire.queue.map((entry) => ({ seat: null, until: null, ...entry })),
    dealer: { cards: [], total: 0, soft: false, ...wire.dealer },
    isCollected: Boolean(wire.piles) && wire.phase === "betting",
  };
}

/** @param {Wire.PublicHand} hand @returns {Hand} */
function readHand(hand) {
  return { soft: false, doubled: false, outcome: null, payout: 0, ...hand };
}

/** @param {Wire.PublicBacker} backer @returns {Backer} */
function readBacker(backer) {
  return { along: false, payout: 0, ...backer };
}

/** How many may bet behind a seat; the server refuses more. */
const MOST_BACKERS = 3;

/**
 * This player's bet behind, on the next round or else on this or the last one; undefined for none.
 * @param {Table} table @param {string|null} player
 * @returns {{seat: Seat, backer: Backer, isNext: boolean}|undefined}
 */
export function findBacking({ seats }, player) {
  if (player === null) return undefined;
  for (const isNext of [true, false])
    for (const seat of seats) {
      const backer = (isNext ? seat.behind : seat.backed).find((one) => one.player === player);
      if (backer) return { seat, backer, isNext };
    }
  return undefined;
}

/**
 * Whether this player can bet behind a taken seat now.
 * @param {Table} table @param {Seat} seat @param {string|null} player
 */
export function mayBack(table, seat, player) {
  return (
    player !== null
    && table.behind
    && table.phase === "betting"
    && table.paused === null
    && !table.closing
    && !findSeat(table, player)
    && (seat.behind.length < MOST_BACKERS || seat.behind.some((one) => one.player === player))
  );
}

/** A copy for applying events; the drawn table is unchanged. @param {Table} table @returns {Table} */
export function copyTable(table) {
  return structuredClone(table);
}

/** @param {Table} table @param {string|null} player @returns {Seat|undefined} */
export function findSeat(table, player) {
  return player ? table.seats.find((seat) => seat.player === player) : undefined;
}

/**
 * Whether a balance is too small for a bet at a table for money.
 * @param {Table} table @param {Rules} rules @param {number} balance
 */
export function isTooLittle({ stack }, rules, balance) {
  return stack === null && rules.stakes !== null && balance < rules.stakes.minimum;
}

/**
 * What I can bet with: my stack where the table has chips of its own, else my balance.
 * @param {Table} table @param {string|null} player @param {number|null} balance
 */
export function getFunds(table, player, balance) {
  return table.stack === null ? balance : (findSeat(table, player)?.chips ?? null);
}

/** Whether the seat is taken. @param {Seat} seat @returns {seat is TakenSeat} */
export function isTaken(seat) {
  return seat.player !== null;
}

/**
 * Whether a free seat is refused to this player: another host has locked the table.
 * @param {Table} table @param {string|null} player
 */
export function isLockedFor(table, player) {
  return table.locked && (player === null || table.maker !== player);
}

/** Whether nobody can sit down any more: a match has begun, or is over. @param {Table} table */
export function isClosedToNewcomers({ match }) {
  return match !== null && match.state !== "waiting";
}

/** How many may be in line; the server refuses more. */
const MOST_IN_LINE = 20;

/**
 * This player's place in line for a seat; null for none.
 * @param {Table} table @param {string|null} player @returns {Place|null}
 */
export function findPlace({ queue }, player) {
  const index = queue.findIndex((entry) => entry.player === player);
  return index < 0 ? null : { ...queue[index], number: index + 1 };
}

/**
 * To whom else a free seat is offered; undefined if this player can take it.
 * @param {Table} table @param {number} number @param {string|null} player
 */
export function findOtherOffer({ queue }, number, player) {
  return queue.find((entry) => entry.seat === number && entry.player !== player);
}

/**
 * Whether there is a free seat that this player can take.
 * @param {Table} table @param {string|null} player
 */
export function hasFreeSeat(table, player) {
  return (
    !isLockedFor(table, player)
    && !isClosedToNewcomers(table)
    && table.seats.some((seat) => !isTaken(seat) && !findOtherOffer(table, seat.seat, player))
  );
}

/**
 * Whether this player can get in line.
 * @param {Table} table @param {string|null} player
 */
export function mayQueueUp(table, player) {
  return (
    player !== null
    && !findSeat(table, player)
    && !findPlace(table, player)
    && !isLockedFor(table, player)
    && !isClosedToNewcomers(table)
    && !table.closing
    && !hasFreeSeat(table, player)
    && table.queue.length < MOST_IN_LINE
  );
}

/**
 * What a seat has to decide now; undefined if it has nothing to decide. Insurance is asked of all
 * seats at once.
 * @param {Table} table @param {number|undefined} number @returns {Wire.Asked|undefined}
 */
export function findAsked({ asked, insurance }, number) {
  if (insurance.length) return insurance.find(({ seat }) => seat === number);
  return asked?.seat === number ? (asked ?? undefined) : undefined;
}

/**
 * Whether this player is one whom the table waits for.
 * @param {Table|undefined} table @param {string|null} player
 */
export function isAsked(table, player) {
  return table !== undefined && findAsked(table, findSeat(table, player)?.seat) !== undefined;
}

/**
 * What this player is asked, and what is legal. Throws if it is nothing.
 * @param {Table} table @param {string|null} player
 */
export function getAsked(table, player) {
  const decision = findAsked(table, findSeat(table, player)?.seat);
  if (!decision) throw new Error("This player is not asked.");
  return decision;
}

/** The piles. Throws at a table without them. @param {Table} table */
export function getPiles({ piles }) {
  if (!piles) throw new Error("There are no piles at this table.");
  return piles;
}

/**
 * Whether a hint is about what this player is asked now, and the player wants it.
 * @param {Wire.Hint|null} hint @param {Table} table @param {string|null} player @returns {hint is Wire.Hint}
 */
export function isHintFor(hint, table, player) {
  const mine = findSeat(table, player);
  const decision = findAsked(table, mine?.seat);
  if (!hint || !mine?.hints || !decision) return false;
  return hint.turn === table.turn && hint.seat === decision.seat && hint.hand === decision.hand;
}

/** A hand that can take no card any more. @param {Hand} hand @param {Rules} rules */
function isStuck({ cards, total, outcome }, rules) {
  const isNatural = cards.length === 2 && total === 21 && rules.naturals;
  return outcome !== null || isNatural || (total === 21 && rules.twenty_one_stands);
}

/**
 * Whether this player's hand waits for its turn, so that its decision can be made ahead.
 * @param {Table} table @param {string|null} player @param {Rules} rules
 */
export function mayDecideAhead(table, player, rules) {
  const mine = findSeat(table, player);
  if (table.phase !== "playing" || table.isDealerPlaying || !mine || mine.leaving) return false;
  if (mine.hands.length !== 1 || isStuck(mine.hands[0], rules)) return false;
  if (asksInsurance(table)) return !findAsked(table, mine.seat);
  return table.asked !== null && table.asked.seat < mine.seat;
}

/** Whether the question is that of insurance, before any hand is played. @param {Table} table */
export function asksInsurance(table) {
  return table.insurance.length > 0;
}

/**
 * Whether this seat has not answered "play again?".
 * @param {Table} table @param {Seat} seat @param {Rules} rules
 */
export function asksAgain(table, seat, rules) {
  return (
    rules.again
    && table.phase === "betting"
    && table.paused === null
    && seat.stake === null
    && !seat.leaving
    && !seat.sitting_out
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

/**
 * Whether this player has not answered "play again?".
 * @param {Table} table @param {string|null} player @param {Rules} rules
 */
export function isAskedAgain(table, player, rules) {
  const seat = findSeat(table, player);
  return seat !== undefined && asksAgain(table, seat, rules);
}

/**
 * Whether the player of this seat has still to bet on the coming round.
 * @param {Table} table @param {Seat} seat
 */
export function isAwaited(table, seat) {
  return (
    table.phase === "betting"
    && table.paused === null
    && (table.match === null || table.match.state === "running")
    && seat.player !== null
    && seat.stake === null
    && !seat.leaving
    && !seat.sitting_out
  );
}

/**
 * Remembers to which round a player's hands belong. With the first bet on the next round the table has
 * its number already, and still the hands of the last one.
 */
export function createRoundOfHands() {
  let round = 0;
  let cards = "";

  /**
   * The round of the hands of this player; 0 without hands, or if it is unknown.
   * @param {Table} table @param {string|null} player
   */
  return (table, player) => {
    const hands = findSeat(table, player)?.hands ?? [];
    const current = JSON.stringify(hands.map((hand) => hand.cards));
    const isNextOpen = table.phase === "betting" && table.seats.some(({ stake }) => stake !== null);
    if (table.phase === "playing" || (!isNextOpen && current !== cards)) round = table.round ?? 0;
    else if (current !== cards) round = 0;
    cards = current;
    return hands.length ? round : 0;
  };
}

/** Whether a card was dealt from the shoe that is in use. @param {Shoe|null} shoe */
export function isShoeUsed(shoe) {
  return !shoe || shoe.left < shoe.size;
}

/**
 * The stake of the seat's first hand before it was doubled; null without a stake.
 * @param {Hand|undefined} hand
 */
export function getBaseStake(hand) {
  return hand?.stake ? (hand.doubled ? hand.stake / 2 : hand.stake) : null;
}
