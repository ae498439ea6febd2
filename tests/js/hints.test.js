/** What a hint says on its buttons and to a screen reader. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatHint, formatWorth } from "../../static/js/text/hints.js";
import { RULES } from "./rules.js";

/** @param {...[Wire.Action, number, number|null]} values @returns {Wire.Hint} */
const hint = (...values) => ({
  t: "hint",
  turn: 1,
  seat: 1,
  hand: 1,
  values: values.map(([action, value, money]) => ({ action, value, money, chances: null })),
});
/** @param {Wire.Hint} of */
const worths = (of) =>
  of.values.map((value) => Object.values(formatWorth(of, value, RULES)).join(" "));

test("a value is in bets and in money, a large amount without its hundredths", () => {
  const close = hint(["hit", -0.4793, -479], ["stand", 0.5392, 53_920]);
  assert.deepEqual(worths(close), ["−0.48 bets −4.79", "+0.54 bets +539"]);
});

test("the best two never look equal because they are rounded", () => {
  const close = hint(["hit", -0.5411, -541], ["stand", -0.5392, -539]);
  assert.deepEqual(worths(close), ["−0.541 bets −5.41", "−0.539 bets −5.39"]);
});

test("where nothing is staked a value is in hands, and of piles it has the chances", () => {
  const free = { ...RULES, stakes: null };
  assert.equal(
    formatHint(hint(["stand", 0, null]), free),
    "Hint. The best first. Stand: 0.00 hands.",
  );
  const chances = { win: 0.692, tie: 0.1, lose: 0.208 };
  const [of] = hint(["hit", -2.3, null]).values;
  const { more, unit } = formatWorth(
    hint(["hit", -2.3, null]),
    { ...of, chances },
    { ...free, piles: true },
  );
  assert.equal(
    `${unit}: ${more}`.replaceAll("\u00a0", " "),
    "cards: win 69 %, tie 10 %, lose 21 %",
  );
});

test("a screen reader hears amounts with words for their signs", () => {
  assert.equal(
    formatHint(hint(["hit", 0.5, 1_250], ["stand", -0.25, -625]), RULES),
    "Hint. The best first. Hit: +0.50 bets, you win 12.50 on average. Stand: −0.25 bets, you lose 6.25 on average.",
  );
});
