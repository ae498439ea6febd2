/**
 * Presses that were meant for other buttons are ignored: the second one of a double tap, where the first one
 * has brought new buttons, and one in the moment in which the server has brought them.
 */

/** Milliseconds in which nobody can have read the new buttons. */
const TOO_SOON = 300;
/** The same, when nobody has asked for them. */
const UNEXPECTED = 500;
const NEAR_PX = 40;
let timer = 0;

/** Ignore presses in `place` for a moment: its buttons have changed under the finger. @param {HTMLElement} place */
export function holdPresses(place) {
  clearTimeout(timer);
  place.dataset.held = "";
  timer = setTimeout(() => delete place.dataset.held, UNEXPECTED);
}

/**
 * @param {HTMLElement} place @param {() => string} getDecision what the buttons in `place` decide now
 */
export function ignoreStrayPresses(place, getDecision) {
  let last = { time: -TOO_SOON, x: 0, y: 0, decision: "" };
  place.addEventListener(
    "click",
    (event) => {
      const { timeStamp: time, clientX: x, clientY: y, detail: count } = event;
      const press = { time, x, y, decision: getDecision() };
      const isNear = Math.hypot(x - last.x, y - last.y) < NEAR_PX;
      // Browsers count the presses of a mouse, but not those of a finger. A key counts as none.
      const isSecond = count > 1 || (isTouch(event) && isNear && time - last.time < TOO_SOON);
      const isHeld = "held" in place.dataset && event.detail > 0;
      if (isHeld || (isSecond && press.decision !== last.decision)) {
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      last = press;
    },
    { capture: true },
  );
}

/** @param {Event} event */
const isTouch = (event) => event instanceof PointerEvent && event.pointerType === "touch";
