/** Amounts, totals, times and outcomes as people read them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createIdleWarning, getTickDelay } from "../../static/js/board/away_countdown.js";
import { formatEvent } from "../../static/js/hud/event_log.js";
import { fill, gettext, ngettext } from "../../static/js/lib/i18n.js";
import {
  capitalize,
  formatCardCount,
  formatLimits,
  formatList,
  formatMoney,
  formatSigned,
  formatTotal,
} from "../../static/js/text/format.js";
import {
  formatHandResult,
  formatRoundResult,
  getSettledNet,
  roundNet,
} from "../../static/js/text/outcomes.js";
import { question } from "../../static/js/text/prompts.js";
import { formatSession } from "../../static/js/text/session_time.js";
import { RULES as STAKED } from "./rules.js";

/** @import { Hand, Seat, Table } from "../../static/js/model/table_model.js" */

/**
 * @param {Hand["outcome"]} outcome @param {number} stake @param {number} payout @param {Partial<Hand>} [more]
 * @returns {Hand}
 */
const hand = (outcome, stake, payout, more = {}) => ({
  cards: ["Ts", "9d"],
  total: 19,
  soft: false,
  doubled: false,
  outcome,
  stake,
  payout,
  ...more,
});
const DEALER = { cards: ["Td", "8s"], total: 18, soft: false };

test("amounts", () => {
  assert.deepEqual([0, 1_000, 2_250, 1_234_500, -2_000, 5].map(formatMoney), [
    "0",
    "10",
    "22.50",
    "12,345",
    "−20",
    "0.05",
  ]);
  assert.deepEqual([3_500, -2_000, 0].map(formatSigned), ["+35", "−20", "0"]);
  assert.equal(formatLimits({ minimum: 100, maximum: null }), "from 1");
  assert.equal(formatLimits({ minimum: 1_000, maximum: 50_000 }), "10 – 500");
});

test("totals, lists and numbers", () => {
  assert.equal(formatTotal({ total: 17, soft: true }, true), "soft 17");
  assert.equal(formatTotal({ total: 17, soft: true }, false), "17");
  assert.deepEqual(
    [["Ann"], ["Ann", "Ben"], ["Ann", "Ben", "Cy"]].map((names) => formatList(names)),
    ["Ann", "Ann and Ben", "Ann, Ben and Cy"],
  );
  assert.deepEqual([1, 5].map(formatCardCount), ["1 card", "5 cards"]);
  assert.equal(capitalize("push"), "Push");
});

test("a sentence keeps what is no name of a value", () => {
  assert.equal(fill("%(a)s and 100 % of %(b)s", { a: "$&", b: "x" }), "$& and 100 % of x");
  assert.equal(gettext("%(a)s", { a: "%(b)s" }), "%(b)s");
  assert.equal(ngettext("%(number)s card", "%(number)s cards", 0), "0 cards");
});

test("a 21 that wins at once, before the dealer's hole card is turned over", () => {
  const open = { cards: ["9d", "??"], total: 9, soft: false };
  const won = hand("win", 1_000, 2_000, { total: 21 });
  assert.equal(formatHandResult(won, open, STAKED), "You win 10 with 21.");
  assert.equal(formatHandResult(won, open, { ...STAKED, stakes: null }), "You win with 21.");
});

test("one hand, in one sentence", () => {
  assert.equal(
    formatHandResult(hand("win", 1_000, 2_000), DEALER, STAKED),
    "You win 10 with 19 against the dealer's 18.",
  );
  assert.equal(
    formatHandResult(hand("win", 1_000, 2_000), { ...DEALER, total: 22 }, STAKED),
    "You win 10 – the dealer busts with 22.",
  );
  assert.equal(
    formatHandResult(hand("blackjack", 1_000, 2_500), DEALER, STAKED),
    "Blackjack! You win 15.",
  );
  assert.equal(
    formatHandResult(hand("push", 1_000, 1_000), DEALER, STAKED),
    "Push – your 10 is returned.",
  );
  assert.equal(
    formatHandResult(hand("bust", 1_000, 0, { total: 25 }), DEALER, STAKED),
    "Bust with 25 – you lose 10.",
  );
  assert.equal(
    formatHandResult(
      hand("lose", 1_000, 0),
      { cards: ["As", "Kd"], total: 21, soft: true },
      STAKED,
    ),
    "You lose 10 – the dealer has blackjack.",
  );
  assert.equal(
    formatHandResult(hand("lose", 1_000, 0, { total: 18 }), DEALER, {
      ...STAKED,
      dealer_wins_ties: true,
    }),
    "Tie – the dealer wins: you lose 10.",
  );
});

test("what is asked, against the dealer's card", () => {
  const asked = { seat: 1, hand: 1, player: "ann", legal: ["hit", "stand"], insurance: null };
  /** @param {{cards: string[], total: number, soft: boolean}} dealer */
  const sub = (dealer) =>
    question(
      /** @type {Table} */ (
        /** @type {unknown} */ ({
          phase: "playing",
          seats: [{ seat: 1, player: "ann", hands: [hand(null, 1_000, 0)] }],
          dealer,
          asked,
          insurance: [],
        })
      ),
      "ann",
      STAKED,
    ).sub;
  const ten = { cards: ["Td", "??"], total: 10, soft: false };
  const ace = { cards: ["Ad", "??"], total: 11, soft: true };
  assert.deepEqual([ten, ace].map(sub), [
    "19 against the dealer's 10",
    "19 against the dealer's ace",
  ]);
});

test("a player without a bet is warned twice before the seat is freed", () => {
  /** @type {string[]} */
  const heard = [];
  const warn = createIdleWarning(STAKED, (text) => heard.push(text));
  const seat = /** @type {Seat} */ ({ idle: 100_000 });
  for (const now of [0, 9_000, 10_000, 11_000, 85_000, 86_000, 100_500]) warn(seat, now);
  assert.deepEqual(heard, [
    "Bet within 90 seconds to keep your seat.",
    "Bet within 15 seconds to keep your seat.",
  ]);
  warn(undefined, 0);
  assert.equal(heard.length, 2);
});

test("a time bank is drawn when its second changes, as the clock beside it", () => {
  const table = /** @type {Table} */ ({ on_bank: true, deadline: 50_000 });
  const at = 41_300;
  const next = at + getTickDelay(table, at);
  assert.equal(Math.ceil((50_000 - at) / 1000), 9);
  assert.equal(Math.ceil((50_000 - next) / 1000), 8);
  assert.ok(next < 42_100, `drawn ${next - 42_000} ms later`);
  assert.equal(getTickDelay({ ...table, on_bank: false }, at), 1_000);
  assert.equal(getTickDelay(table, 60_000), 1_000, "and it does not spin when its time is over");
});

test("equal totals push, and tie where there are piles", () => {
  const equal = hand("push", 0, 0, { total: 18 });
  const plain = { ...STAKED, stakes: null };
  assert.equal(formatHandResult(equal, DEALER, plain), "Push – 18 each.");
  assert.equal(formatHandResult(equal, DEALER, { ...plain, piles: true }), "Tie – 18 each.");
});

test("the dealer has no blackjack, or no 21 where there is no blackjack", () => {
  const table = /** @type {Table} */ ({});
  const line = (/** @type {boolean} */ naturals) =>
    formatEvent({ type: "hole_card_peeked" }, table, { you: null, rules: { ...STAKED, naturals } });
  assert.equal(line(true), "The dealer checks the hole card: no blackjack.");
  assert.equal(line(false), "The dealer checks the hole card: no 21.");
});

test("a round of several hands says what it came to, and only when the last is settled", () => {
  const split = { hands: [hand("win", 1_000, 2_000), hand("bust", 2_000, 0)], insurance: null };
  assert.equal(
    formatRoundResult(split, DEALER, STAKED),
    "First hand wins 10, second busts and loses 20 – you are 10 down.",
  );
  assert.equal(
    formatRoundResult({ ...split, hands: [...split.hands, hand(null, 1_000, 0)] }, DEALER, STAKED),
    null,
  );
  assert.equal(roundNet(split), -1_000);
  assert.equal(roundNet({ ...split, insurance: { stake: 500, payout: 1_500, settled: true } }), 0);
});

test("the sound of a result comes with the last of my hands, and for nobody else's", () => {
  const mine = { seat: 1, hands: [hand("win", 1_000, 2_000)], insurance: null };
  assert.equal(getSettledNet({ type: "hand_settled", seat: 1 }, mine, STAKED), 1_000);
  assert.equal(getSettledNet({ type: "hand_settled", seat: 2 }, mine, STAKED), null);
  assert.equal(
    getSettledNet(
      { type: "hand_settled", seat: 1 },
      { ...mine, hands: [hand(null, 1_000, 0)] },
      STAKED,
    ),
    null,
  );
});

test("how long I have been sitting, and what came of it", () => {
  const minute = 60_000;
  /** @param {number} since @param {number} net @param {number} now */
  const said = (since, net, now) => {
    const session = formatSession({ since, net, tally: null }, now, STAKED);
    return session && session.time + session.result + session.spelled;
  };
  assert.equal(said(0, 3_500, 24 * minute), "24 min · +35");
  assert.equal(said(0, -500, 61 * minute), "1 h 1 min · −5");
  assert.equal(said(5 * minute, 0, 0), "0 min · 0");
  assert.equal(formatSession({ since: null, net: 0, tally: null }, 0, STAKED), null);
  const tally = { won: 3, lost: 1, pushed: 0 };
  assert.deepEqual(
    formatSession({ since: 0, net: 0, tally }, minute, { ...STAKED, stakes: null }),
    {
      time: "1 min · ",
      result: "3–1–0",
      spelled: "3 won, 1 lost, 0 pushed",
    },
  );
});

test("a name that is written from right to left leaves the words beside it where they are", () => {
  assert.equal(
    fill("%(who)s bets %(stake)s.", { who: "מרים", stake: "10" }),
    "\u2068מרים\u2069 bets 10.",
  );
  assert.equal(fill("%(who)s bets.", { who: "Zoë" }), "Zoë bets.");
});
