/**
 * Applies an event to the table, between two tables that the server sent.
 *
 * @import { Hand, Table } from "./table_model.js"
 * @typedef {{type: string, seat?: number|null, hand?: number|null, player?: string|number|null, stake?: number, payout?: number}} EventFields
 *   fields of several event types
 * @typedef {{[Type in Wire.Event["type"]]: (table: Table, event: Extract<Wire.Event, {type: Type}>) => void}} Steps
 */
import { countPoints, FACE_DOWN } from "./card_values.js";
import { copyTable, EMPTY_SEAT, getBaseStake, getPiles } from "./table_model.js";

/** @type {Steps} */
const STEPS = {
  card_dealt(table, { seat, hand, card }) {
    openDeal(table);
    const place = getSeat(table, seat);
    if (!place.hands[hand - 1]) {
      place.hands[hand - 1] = createHand([], place.stake ?? 0);
      place.stake = null;
    }
    addCard(table, place.hands[hand - 1], card);
  },
  dealer_card_dealt(table, { card }) {
    openDeal(table);
    addCard(table, table.dealer, card ?? FACE_DOWN);
  },
  hole_card_peeked() {},
  hole_card_revealed(table, { card }) {
    table.isDealerPlaying = true;
    table.dealer.cards = table.dealer.cards.map((each) => (each === FACE_DOWN ? card : each));
    Object.assign(table.dealer, countPoints(table.dealer.cards));
  },
  hand_stood() {},
  hand_doubled(table, { seat, hand, stake }) {
    const played = getHand(table, seat, hand);
    played.stake += stake;
    played.doubled = true;
  },
  hand_split(table, { seat, hand, stake }) {
    const [first, second] = getHand(table, seat, hand).cards;
    getSeat(table, seat).hands.splice(
      hand - 1,
      1,
      createHand([first], stake),
      createHand([second], stake),
    );
    for (const { stakes } of getSeat(table, seat).backed) stakes.splice(hand, 0, 0);
  },
  hand_settled(table, { seat, hand, outcome, stake, payout }) {
    Object.assign(getHand(table, seat, hand), { outcome, stake, payout });
    if (table.rack !== null) table.rack += 2 * stake - payout;
  },
  insurance_answered(table, { seat }) {
    getSeat(table, seat).answered = true;
    table.insurance = table.insurance.filter((decision) => decision.seat !== seat);
    table.asked = table.insurance[0] ?? null;
  },
  insurance_taken(table, { seat, stake }) {
    getSeat(table, seat).insurance = { stake, payout: 0, settled: false };
  },
  insurance_declined(table, { seat }) {
    getSeat(table, seat).insurance = { stake: 0, payout: 0, settled: false };
  },
  insurance_settled(table, { seat, stake, payout }) {
    getSeat(table, seat).insurance = { stake, payout, settled: true };
  },
  cards_collected(table, { pile, cards }) {
    getPiles(table)[pile] += cards;
    table.isCollected = true;
  },
  game_ended(table, { winner }) {
    Object.assign(getPiles(table), { game_over: true, winner });
  },
  shoe_sealed(table, { shoe, number, commitment }) {
    if (table.shoe)
      Object.assign(table.shoe, { id: shoe, number, commitment, left: table.shoe.size });
  },
  shoe_opened() {},
  words_committed() {}, // The next table has the commitment.
  shoe_shuffled() {},
  round_broken_off() {},
  round_voided() {}, // The next table has the balances.
  player_sat(table, { seat, player }) {
    Object.assign(getSeat(table, seat), EMPTY_SEAT, { player, hands: [], behind: [], backed: [] });
    leaveQueue(table, player);
  },
  player_left(table, { seat }) {
    Object.assign(getSeat(table, seat), EMPTY_SEAT, { hands: [], behind: [], backed: [] });
  },
  queue_joined(table, { player }) {
    table.queue.push({ player, seat: null, until: null });
  },
  queue_left(table, { player }) {
    leaveQueue(table, player);
  },
  seat_offered(table, { player, seat, until }) {
    const entry = table.queue.find((waiting) => waiting.player === player);
    if (entry) Object.assign(entry, { seat, until });
  },
  offer_lapsed(table, { player }) {
    leaveQueue(table, player);
  },
  player_away() {}, // Since when is in the table that follows.
  player_back(table, { seat }) {
    getSeat(table, seat).away = null;
  },
  bet_placed(table, { seat, stake }) {
    Object.assign(getSeat(table, seat), { stake, idle: null });
    if (table.rack !== null) table.rack -= stake;
  },
  bet_returned(table, { seat, stake }) {
    getSeat(table, seat).stake = null;
    if (table.rack !== null) table.rack += stake;
  },
  bet_behind_placed(table, { seat, player, stake, along }) {
    getSeat(table, seat).behind.push({ player, stakes: [stake], along, payout: 0 });
  },
  bet_behind_returned(table, { seat, player }) {
    const place = getSeat(table, seat);
    place.behind = place.behind.filter((backer) => backer.player !== player);
  },
  bet_behind_raised(table, { seat, hand, player, stake }) {
    const backer = getSeat(table, seat).backed.find((one) => one.player === player);
    if (backer) backer.stakes[hand - 1] += stake;
  },
  bet_behind_settled(table, { seat, player, payout }) {
    const backer = getSeat(table, seat).backed.find((one) => one.player === player);
    if (backer) backer.payout += payout;
  },
  clock_ran_out() {},
  time_bank_started(table, { seat, left }) {
    getSeat(table, seat).bank = left;
  },
  plan_played() {}, // Its action follows.
  clock_extended() {},
  table_locked(table) {
    table.locked = true;
  },
  table_unlocked(table) {
    table.locked = false;
  },
  chat_switched(table, { on }) {
    table.chat = on;
  },
  hints_allowed(table, { on }) {
    table.hints_allowed = on;
    if (!on) for (const seat of table.seats) seat.hints = false;
  },
  hints_switched(table, { seat, on }) {
    getSeat(table, seat).hints = on;
  },
  sit_out_switched(table, { seat, on }) {
    getSeat(table, seat).sitting_out = on;
  },
  top_up_asked(table, { seat }) {
    getSeat(table, seat).asks = true;
  },
  topped_up(table, { seat, number }) {
    Object.assign(getSeat(table, seat), { asks: false, top_ups: number });
  }, // The next table has the chips.
  invite_renewed() {},
  table_handed_on(table, { player }) {
    table.maker = player;
  },
  table_changing() {},
  table_changed() {}, // The next table has the settings.
  player_banned() {},
  ban_lifted() {},
  table_paused(table, { because, player }) {
    Object.assign(table, { paused: because, paused_by_host: Boolean(player) });
  },
  table_resumed(table) {
    Object.assign(table, { paused: null, paused_by_host: false });
  },
  table_closing(table) {
    table.closing = true;
  },
  table_kept_open(table) {
    table.closing = false;
  },
  table_closed() {},
  match_started() {}, // The next table has the match.
  match_round_ended() {},
  match_ended() {},
};

/** These events do not end an open decision. */
const KEEP_QUESTION = [
  "bet_behind_raised",
  "bet_behind_settled",
  "insurance_answered",
  "player_sat",
  "player_away",
  "player_back",
  "queue_joined",
  "queue_left",
  "seat_offered",
  "offer_lapsed",
  "table_locked",
  "table_unlocked",
  "chat_switched",
  "hints_allowed",
  "hints_switched",
  "sit_out_switched",
  "time_bank_started",
  "top_up_asked",
  "topped_up",
  "invite_renewed",
  "table_handed_on",
  "table_changing",
  "table_changed",
  "player_banned",
  "ban_lifted",
  "table_paused",
  "table_resumed",
  "table_closing",
  "table_kept_open",
];

/**
 * Changes `table` by one event. Throws on an event that it does not know or that does not fit.
 * @param {Table} table @param {Wire.Event} event
 */
export function applyEvent(table, event) {
  if (!Object.hasOwn(STEPS, event.type)) throw new Error(`Unknown event: ${event.type}`);
  if (!KEEP_QUESTION.includes(event.type)) Object.assign(table, { asked: null, insurance: [] });
  const step = /** @type {(table: Table, event: Wire.Event) => void} */ (STEPS[event.type]);
  step(table, event);
}

/**
 * Changes `table` by a change of which only the events are known, and calls `tell` after each.
 * @param {Table} table @param {Wire.MissedChange} change
 * @param {(event: Wire.Event, table: Table, next: Wire.Event|undefined) => void} tell
 */
export function applyMissed(table, { round, events }, tell) {
  if (round !== null && round !== table.number)
    Object.assign(table, { phase: "betting", number: round });
  events.forEach((event, place) => {
    applyEvent(table, event);
    tell(event, table, events[place + 1]);
  });
}

/**
 * The table as it was before its last round, as far as the events of that round need it.
 * @param {Table} table @param {Wire.MissedChange[]} changes of that round, and since
 */
export function undoRound(table, changes) {
  const before = copyTable(table);
  const moves = changes.flatMap(({ events }) => events);
  for (const seat of before.seats) {
    if (seat.hands.length) seat.stake = getBaseStake(seat.hands[0]);
    const move = moves.find(
      (event) =>
        (event.type === "player_sat" || event.type === "player_left") && event.seat === seat.seat,
    );
    if (move?.type === "player_left") seat.player = move.player;
    if (move?.type === "player_sat") seat.player = null;
  }
  return Object.assign(before, { phase: "betting", number: null });
}

/** The first card of a round clears away the one before. @param {Table} table */
function openDeal(table) {
  if (table.phase === "playing") return;
  table.phase = "playing";
  table.isDealerPlaying = false;
  table.isCollected = false;
  table.dealer = { cards: [], total: 0, soft: false };
  for (const seat of table.seats)
    Object.assign(seat, {
      hands: [],
      insurance: null,
      answered: false,
      backed: seat.behind,
      behind: [],
    });
  if (table.piles?.game_over) openGame(table.piles);
}

/** A game of piles begins with all cards in the deck. @param {Wire.PublicPiles} piles */
function openGame(piles) {
  const deck = piles.player + piles.house + piles.discard + piles.deck;
  Object.assign(piles, { player: 0, house: 0, discard: 0, deck, game_over: false, winner: null });
}

/** @param {Table} table @param {{cards: string[]}} holder @param {string} card */
function addCard(table, holder, card) {
  holder.cards.push(card);
  Object.assign(holder, countPoints(holder.cards));
  if (table.shoe) table.shoe.left -= 1;
  if (table.piles) table.piles.deck -= 1;
}

/** @param {string[]} cards @param {number} stake @returns {Hand} */
function createHand(cards, stake) {
  return { cards, ...countPoints(cards), stake, doubled: false, outcome: null, payout: 0 };
}

/** @param {Table} table @param {string} player */
function leaveQueue(table, player) {
  table.queue = table.queue.filter((waiting) => waiting.player !== player);
}

/** @param {Table} table @param {number} number */
function getSeat(table, number) {
  return table.seats[number - 1];
}

/** @param {Table} table @param {number} seat @param {number} hand */
function getHand(table, seat, hand) {
  return getSeat(table, seat).hands[hand - 1];
}
