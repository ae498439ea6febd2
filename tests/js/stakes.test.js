/** A stake that is put together from chips or typed, and what the limits say to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createStake, listChips } from "../../static/js/controls/stake.js";

/** @type {Wire.Stakes} */
const CASINO = { minimum: 1_000, maximum: 50_000, unit: 100 };
/** @type {Wire.Stakes} */
const FREE = { minimum: 100, maximum: null, unit: 100 };

/** @param {Wire.Stakes} limits */
function stake(limits = CASINO, funds = 20_000) {
  const made = createStake(limits);
  made.haveFunds(funds);
  return made;
}

test("chips that are of use under the limits", () => {
  assert.deepEqual(listChips(CASINO), [1_000, 2_500, 5_000, 10_000, 50_000]);
  assert.deepEqual(listChips(FREE), [100, 500, 1_000, 2_500, 5_000]);
  const pot = { minimum: 200, maximum: 50_000, unit: 100 };
  assert.deepEqual(listChips(pot), [200, 500, 1_000, 2_500, 5_000]);
  assert.deepEqual(
    listChips({ minimum: 1_000, maximum: 50_000, unit: 1_000 }),
    [1_000, 5_000, 10_000, 50_000],
  );
});

test("chips add up, come off in their order, and never pass what there is", () => {
  const made = stake();
  made.add(1_000);
  made.add(2_500);
  assert.equal(made.sum(), 3_500);
  made.undo();
  assert.equal(made.sum(), 1_000);
  assert.ok(made.canAdd(19_000));
  assert.ok(!made.canAdd(19_001));
  made.clear();
  assert.ok(made.isEmpty);
});

test("what is typed is whole units", () => {
  const made = stake({ minimum: 1_000, maximum: null, unit: 100 }, 1_000_000_00);
  /** @type {[string, number][]} */
  const typings = [
    ["25", 2_500],
    ["1,250", 125_000],
    ["", 0],
  ];
  for (const [typed, sum] of typings) {
    made.type(typed);
    assert.deepEqual([made.isOdd, made.sum()], [false, sum], typed);
  }
  for (const typed of [
    "2.5",
    "7,5",
    "7,50",
    "1.500",
    "-5",
    "1e3",
    "abc",
    "12,34",
    " 5",
    "1234567890",
  ]) {
    made.type(typed);
    assert.ok(made.isOdd, typed);
    assert.equal(made.objection(), "Type a whole number, such as 25.");
  }
});

test("why a stake cannot be bet, in the order in which it helps", () => {
  /** @param {number} amount @param {Wire.Stakes} limits */
  const objection = (amount, limits = CASINO, funds = 20_000) => {
    const made = stake(limits, funds);
    made.put(amount);
    return made.objection();
  };
  assert.equal(objection(1_000), "");
  assert.equal(objection(900), "The minimum bet is 10.");
  assert.equal(objection(60_000, CASINO, 90_000), "The maximum bet is 500.");
  assert.equal(objection(25_000), "You have 200. You can't bet 250.");
  assert.equal(objection(1_000, CASINO, 500), "You have 5; the minimum bet here is 10.");
  assert.equal(objection(1_050), "Bets are multiples of 1.");
});

test("all in is a whole stake that the dealer can match", () => {
  assert.equal(stake(CASINO, 20_050).most(), 20_000);
  assert.equal(stake(CASINO, 90_000).most(), 50_000);
  assert.equal(stake(CASINO, 90_000).most(3_000), 3_000);
  assert.equal(stake(CASINO, 999).most(), 0);
});
