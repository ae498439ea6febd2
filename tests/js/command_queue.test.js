/** The queue of a page's commands, which says so when an answer is late. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createCommandQueue } from "../../static/js/net/command_queue.js";

test("the answer to one command leaves the others waiting", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {(boolean|string)[]} */
  const told = [];
  const queue = createCommandQueue({
    key: "mine",
    send: () => true,
    onSlow: (isSlow) => told.push(isSlow),
    onDead: () => told.push("dead"),
  });
  const first = queue.give({ t: "commit", commitment: "" });
  const second = queue.give({ t: "bet", turn: 1, stake: 1000 });
  mock.timers.tick(2_000);
  queue.answered(first, 1);
  mock.timers.tick(2_900);
  assert.deepEqual(told, [false]);
  mock.timers.tick(200);
  assert.deepEqual(told, [false, true]);
  mock.timers.tick(5_000);
  assert.deepEqual(told, [false, true, "dead"]);
  queue.answered(second, 2);
  mock.timers.tick(80_000);
  assert.deepEqual(told, [false, true, "dead", false]);
  mock.timers.reset();
});
