/** The countdown of the current decision, in seconds and as a share for rings and bars. */
import { prefersReducedMotion, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

const CALL_AT_SECONDS = 10;

/** @typedef {ReturnType<typeof createCountdown>} Clock */

/**
 * @param {{felt: HTMLElement, bar: HTMLElement, seconds: HTMLElement[], onHurry: () => void}} parts
 *   `seconds`: all places where they are shown. `onHurry` is called once when little is left.
 */
export function createCountdown({ felt, bar, seconds, onHurry }) {
  let ahead = 0;
  /** @type {number|null} */
  let deadline = null;
  let length = 1;
  let frame = 0;
  let wasCalled = false;

  function tick() {
    const remaining = Math.max(0, (deadline ?? 0) - (Date.now() + ahead));
    const share = Math.min(1, remaining / length).toFixed(4);
    felt.style.setProperty("--left", share);
    bar.style.setProperty("--left", share);
    const text = gettext("%(seconds)s s", { seconds: Math.ceil(remaining / 1000) });
    for (const place of seconds) setText(place, text);
    const isShort = remaining <= CALL_AT_SECONDS * 1000;
    bar.classList.toggle("is-short", isShort);
    felt.classList.toggle("is-short", isShort);
    if (isShort && !wasCalled && remaining > 0) {
      wasCalled = true;
      onHurry();
    }
    schedule(remaining);
  }

  /** @param {number} remaining */
  function schedule(remaining) {
    cancel();
    if (remaining <= 0) return;
    if (prefersReducedMotion()) frame = -setTimeout(tick, (remaining % 1000) + 20);
    else frame = requestAnimationFrame(tick);
  }

  function cancel() {
    if (frame < 0) clearTimeout(-frame);
    else cancelAnimationFrame(frame);
  }

  return {
    now: () => Date.now() + ahead,
    /** The whole seconds that are left on the clock that is shown; null without one. */
    getSecondsLeft: () =>
      deadline === null ? null : Math.max(0, Math.ceil((deadline - Date.now() - ahead) / 1000)),
    /** The server's time now, in its milliseconds. @param {number} now */
    tellTime(now) {
      ahead = now - Date.now();
    },
    /**
     * Shows the clock that ends at `end` and is `clockSeconds` long; null hides it.
     * @param {number|null} end @param {number} clockSeconds
     */
    show(end, clockSeconds) {
      bar.hidden = end === null;
      for (const place of seconds) {
        place.hidden = end === null;
        // From its start: the text beside it would move at 99.
        place.classList.toggle("is-long", clockSeconds >= 100);
      }
      if (end === deadline) return;
      deadline = end;
      length = clockSeconds * 1000;
      wasCalled = false;
      cancel();
      if (end !== null) tick();
    },
  };
}
