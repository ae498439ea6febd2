/** The socket of a page, which comes back by itself. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { connect } from "../../static/js/net/reconnecting_socket.js";

test("a line that is away already is not tried twice at once", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {EventTarget[]} */
  const opened = [];
  class Line extends EventTarget {
    constructor() {
      super();
      opened.push(this);
    }

    close() {}
  }
  Object.assign(globalThis, {
    WebSocket: Line,
    location: { protocol: "http:", host: "house" },
    window: new EventTarget(),
    document: new EventTarget(),
  });
  const waits = [0.9, 0.1]; // a second attempt would come before the first one
  const { random } = Math;
  Math.random = () => waits.shift() ?? 0.5;
  const line = connect("/ws/tables/1/", { onMessage: () => {} });
  opened[0].dispatchEvent(Object.assign(new Event("close"), { code: 1006 }));
  line.drop(0);
  mock.timers.tick(10_000);
  assert.equal(opened.length, 2);
  mock.timers.reset();
  Math.random = random;
});
