/** A match in words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatEnd,
  formatLead,
  formatProgress,
  formatRoundEnded,
} from "../../static/js/text/match.js";

/** @type {Wire.PublicMatch} */
const MATCH = {
  id: 1,
  kind: "table",
  state: "running",
  rounds: 20,
  played: 6,
  stack: 100_000,
  standings: [
    { player: "ann", place: 1, stack: 125_000 },
    { player: "ben", place: 2, stack: 90_000 },
  ],
  rematch: null,
};

test("the progress is the round that is played or comes next", () => {
  assert.equal(formatProgress(MATCH, "betting"), "Round 7 of 20");
  assert.equal(formatProgress({ ...MATCH, rounds: null }, "playing"), "Round 7");
  assert.equal(formatProgress({ ...MATCH, state: "waiting" }, "betting"), "Match, not started yet");
  assert.equal(formatProgress({ ...MATCH, state: "over" }, "betting"), "Match over");
});

test("who leads is named, and I am you", () => {
  assert.equal(formatLead(MATCH, "ben"), "ann leads with 1,250.");
  assert.equal(formatLead(MATCH, "ann"), "You lead with 1,250.");
  assert.equal(formatLead({ ...MATCH, played: 0 }, "ann"), "");
});

test("several leaders share the lead, and the first place", () => {
  const event = /** @type {Wire.MatchRoundEnded} */ ({
    type: "match_round_ended",
    number: 7,
    rounds: 20,
    leaders: ["ann", "ben"],
    stack: 100_000,
  });
  assert.equal(
    formatRoundEnded(event, "ann", false),
    "Round 7 of 20 is over. ann and ben lead with 1,000 each.",
  );
  assert.equal(formatEnd(["ann", "ben"], "ann", false), "ann and ben share the first place.");
  assert.equal(formatEnd(["ann"], "ann", false), "You win the match!");
  assert.equal(formatEnd([], "ann", true), "The match was broken off. Nobody wins.");
});
