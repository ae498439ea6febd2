/** The table of a page: what cards count, how events change it, and who is asked. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEvent } from "../../static/js/model/apply_event.js";
import { countPoints } from "../../static/js/model/card_values.js";
import {
  asksAgain,
  asksInsurance,
  copyTable,
  createRoundOfHands,
  findPlace,
  findSeat,
  getAsked,
  getBaseStake,
  hasFreeSeat,
  isAsked,
  isLockedFor,
  isShoeUsed,
  isUndecided,
  mayQueueUp,
  readTable,
} from "../../static/js/model/table_model.js";
import { RULES } from "./rules.js";

/** @import { Table } from "../../static/js/model/table_model.js" */

/** @type {Wire.PublicTable} */
const WIRE = {
  phase: "betting",
  turn: 4,
  deadline: null,
  on_bank: false,
  clock: 20,
  round: 12,
  number: 5,
  seats: [
    { seat: 1, player: "ann", stake: 1000 },
    { seat: 2, player: "ben", stake: 500 },
    { seat: 3 },
  ],
  dealer: { cards: [], total: 0 },
  asked: null,
  stack: null,
  top_ups: 0,
  insurance: [],
  queue: [],
  match: null,
  shoe: { id: 57, number: 1, commitment: "ab", size: 52, left: 52, cut: null },
  rack: 500_000,
  piles: null,
  maker: null,
  private: false,
  locked: false,
  chat: true,
  hints_allowed: true,
  behind: false,
  closing: false,
  paused: null,
  paused_by_host: false,
  watchers: 0,
  edition: "",
};
const AGAIN = { ...RULES, again: true };

/** The table after these events. @param {...Wire.Event} events */
function after(...events) {
  const table = readTable(structuredClone(WIRE));
  events.forEach((event) => applyEvent(table, event));
  return table;
}
/** @param {number} seat @param {string} name @param {number} [hand] @returns {Wire.CardDealt} */
const card = (seat, name, hand = 1) => ({ type: "card_dealt", seat, hand, card: name });

test("cards count default, one ace as 11 where that fits", () => {
  assert.deepEqual(countPoints(["As", "Kd"]), { total: 21, soft: true });
  assert.deepEqual(countPoints(["As", "Ad", "9h"]), { total: 21, soft: true });
  assert.deepEqual(countPoints(["As", "9d", "5h"]), { total: 15, soft: false });
  assert.deepEqual(countPoints(["Ts", "??"]), { total: 10, soft: false });
  assert.deepEqual(countPoints([]), { total: 0, soft: false });
});

test("the first card opens the round, moves the stake to the hand and leaves the shoe", () => {
  const table = after(card(1, "8s"), card(1, "8d"));
  assert.equal(table.phase, "playing");
  assert.equal(table.seats[0].stake, null);
  assert.deepEqual(table.seats[0].hands, [
    {
      cards: ["8s", "8d"],
      total: 16,
      soft: false,
      stake: 1000,
      doubled: false,
      outcome: null,
      payout: 0,
    },
  ]);
  assert.equal(table.shoe?.left, 50);
  assert.ok(isShoeUsed(table.shoe));
});

test("a split makes two hands of one card each, and a double matches the stake", () => {
  const table = after(
    card(1, "8s"),
    card(1, "8d"),
    { type: "hand_split", seat: 1, hand: 1, stake: 1000 },
    card(1, "3c"),
    card(1, "Td", 2),
    { type: "hand_doubled", seat: 1, hand: 1, stake: 1000 },
    card(1, "9h"),
  );
  assert.deepEqual(
    table.seats[0].hands.map(({ cards, stake, doubled }) => [cards.join(" "), stake, doubled]),
    [
      ["8s 3c 9h", 2000, true],
      ["8d Td", 1000, false],
    ],
  );
  assert.equal(getBaseStake(table.seats[0].hands[0]), 1000);
});

test("the hole card stays hidden until it is turned over", () => {
  /** @type {Wire.Event[]} */
  const dealt = [
    { type: "dealer_card_dealt", card: "9s" },
    { type: "dealer_card_dealt", card: null },
  ];
  assert.deepEqual(after(...dealt).dealer, { cards: ["9s", "??"], total: 9, soft: false });
  const turned = after(...dealt, { type: "hole_card_revealed", card: "Ad" });
  assert.deepEqual(turned.dealer, { cards: ["9s", "Ad"], total: 20, soft: true });
});

test("a settled hand has its outcome, and the rack pays and collects", () => {
  const settled = after(card(1, "Ts"), card(1, "9d"), {
    type: "hand_settled",
    seat: 1,
    hand: 1,
    outcome: "win",
    stake: 1000,
    payout: 2000,
  });
  assert.equal(settled.seats[0].hands[0].outcome, "win");
  assert.equal(settled.rack, 500_000);
});

test("people come, go, are away and come back", () => {
  const table = after(
    { type: "player_sat", seat: 3, player: "cy" },
    { type: "player_left", seat: 2, player: "ben", reason: "left" },
  );
  assert.deepEqual(
    table.seats.map(({ player }) => player),
    ["ann", null, "cy"],
  );
  assert.equal(findSeat(table, "cy")?.seat, 3);
  assert.equal(findSeat(table, null), undefined);
});

/** An event of a newer server. @param {string} type */
const unknown = (type) => /** @type {Wire.Event} */ ({ type });

test("an event that nobody knows is no silent change", () => {
  assert.throws(() => after(unknown("cards_eaten")), /Unknown event/);
  assert.throws(() => after(unknown("toString")), /Unknown event/);
});

test("a copy can be stepped without touching the original", () => {
  const table = readTable(structuredClone(WIRE));
  applyEvent(copyTable(table), card(1, "8s"));
  assert.equal(table.seats[0].hands.length, 0);
  assert.equal(table.shoe?.left, 52);
});

test("who is asked, and what about", () => {
  /** @type {Table} */
  const asked = {
    ...readTable(WIRE),
    phase: "playing",
    asked: { seat: 2, hand: 1, legal: ["hit", "stand"] },
  };
  assert.ok(isAsked(asked, "ben"));
  assert.ok(!isAsked(asked, "ann"));
  assert.ok(!isAsked(asked, null));
  assert.ok(!asksInsurance(asked));
  assert.ok(!isUndecided(asked, 1, 1));
  assert.ok(isUndecided(asked, 2, 1));
});

test("all are asked about insurance at once, until each has answered", () => {
  const question = { hand: 1, legal: /** @type {Wire.Action[]} */ (["insure", "decline"]) };
  /** @type {Table} */
  const table = {
    ...readTable(structuredClone(WIRE)),
    phase: "playing",
    asked: { seat: 1, ...question },
    insurance: [
      { seat: 1, ...question },
      { seat: 2, ...question },
    ],
  };
  assert.ok(asksInsurance(table));
  assert.ok(isAsked(table, "ann") && isAsked(table, "ben"));
  assert.equal(getAsked(table, "ben").seat, 2);
  applyEvent(table, { type: "insurance_answered", seat: 1 });
  assert.ok(!isAsked(table, "ann") && isAsked(table, "ben"));
  assert.ok(table.seats[0].answered && !table.seats[0].insurance);
  assert.equal(table.asked?.seat, 2);
  applyEvent(table, { type: "insurance_taken", seat: 1, stake: 500 });
  assert.ok(!asksInsurance(table) && !isAsked(table, "ben"));
  assert.throws(() => getAsked(table, "ben"), /not asked/);
});

test("a locked table is locked for all but its maker", () => {
  const table = { ...readTable(WIRE), locked: true, maker: "ann" };
  assert.deepEqual(
    ["ann", "ben", null].map((player) => isLockedFor(table, player)),
    [false, true, true],
  );
});

test("whether to play again is asked of those who played and have not said", () => {
  const table = readTable(structuredClone(WIRE));
  const waiting = table.seats[2];
  const played = { ...waiting, player: "cy", hands: [after(card(1, "8s")).seats[0].hands[0]] };
  assert.ok(asksAgain(table, played, AGAIN));
  assert.ok(!asksAgain(table, waiting, AGAIN));
  assert.ok(!asksAgain(table, played, { ...AGAIN, again: false }));
  assert.ok(!asksAgain({ ...table, paused: "A look." }, played, AGAIN));
});

test("a free seat that is offered is for one player alone, and others get in line", () => {
  const open = after();
  assert.ok(hasFreeSeat(open, "dora"));
  assert.ok(!mayQueueUp(open, "dora"));
  const table = after(
    { type: "queue_joined", player: "dora" },
    { type: "queue_joined", player: "erin" },
    { type: "seat_offered", seat: 3, player: "dora", until: 30_000 },
  );
  assert.deepEqual(findPlace(table, "dora"), { player: "dora", seat: 3, until: 30_000, number: 1 });
  assert.equal(findPlace(table, "erin")?.number, 2);
  assert.ok(hasFreeSeat(table, "dora"));
  assert.ok(!hasFreeSeat(table, "finn"));
  assert.deepEqual(
    ["ann", "dora", "erin", "finn", null].map((player) => mayQueueUp(table, player)),
    [false, false, false, true, false],
  );
});

test("who sits down, leaves the line or lets the offer lapse is not in line", () => {
  /** @type {Wire.Event[]} */
  const joined = ["dora", "erin", "finn"].map((player) => ({ type: "queue_joined", player }));
  const table = after(
    ...joined,
    { type: "player_sat", seat: 3, player: "dora" },
    { type: "queue_left", player: "erin", reason: "left" },
    { type: "offer_lapsed", seat: 3, player: "finn" },
  );
  assert.deepEqual(table.queue, []);
});

test("hands belong to their own round after the first bet on the next one", () => {
  const getRound = createRoundOfHands();
  /** @param {number} round @param {number|null} bet @param {string[]} cards @param {"betting"|"playing"} [phase] */
  const table = (round, bet, cards, phase = "betting") => {
    const made = readTable({ ...structuredClone(WIRE), round, phase });
    const hand = { cards, total: 20, stake: 1_000 };
    made.seats.forEach((seat) => {
      seat.stake = null;
    });
    made.seats[0].hands = readTable({
      ...structuredClone(WIRE),
      seats: [{ seat: 1, player: "ann", hands: [hand] }],
    }).seats[0].hands;
    made.seats[1].stake = bet;
    return made;
  };
  assert.equal(getRound(table(12, null, ["Ts", "Kd"], "playing"), "ann"), 12);
  assert.equal(getRound(table(12, null, ["Ts", "Kd"]), "ann"), 12);
  assert.equal(getRound(table(13, 500, ["Ts", "Kd"]), "ann"), 12, "ben has bet on the next one");
  assert.equal(getRound(table(13, null, ["Ts", "Kd"]), "ann"), 12, "and has taken it back");
  assert.equal(
    getRound(table(13, null, ["As", "Kd"]), "ann"),
    13,
    "dealt and settled in one frame",
  );
  assert.equal(createRoundOfHands()(table(13, 500, ["Ts", "Kd"]), "ann"), 0, "an opened page");
  assert.equal(createRoundOfHands()(table(12, null, ["Ts", "Kd"]), "ann"), 12);
});
