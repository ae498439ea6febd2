/** The second press of a double tap is ignored where the first one has brought other buttons. */

/** Milliseconds in which nobody can have read the new buttons. */
const TOO_SOON = 300;
const NEAR_PX = 40;

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
      if (isSecond && press.decision !== last.decision) {
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
