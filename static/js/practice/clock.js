/** The time for an answer: a bar that gets shorter, and the seconds. */
import { prefersReducedMotion, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

const SHORT_MILLISECONDS = 2_000;

/** @param {{bar: HTMLElement, seconds: HTMLElement, onEnd: () => void}} parts */
export function createClock({ bar, seconds, onEnd }) {
  let end = 0;
  let length = 1;
  let timer = 0;
  let frame = 0;

  function draw() {
    const remaining = Math.max(0, end - performance.now());
    bar.style.setProperty("--left", (remaining / length).toFixed(4));
    bar.classList.toggle("is-short", remaining <= SHORT_MILLISECONDS);
    setText(seconds, gettext("%(seconds)s s", { seconds: Math.ceil(remaining / 1000) }));
    if (remaining <= 0) return;
    // Without motion, the bar changes once a second.
    if (prefersReducedMotion()) frame = -setTimeout(draw, (remaining % 1000) + 20);
    else frame = requestAnimationFrame(draw);
  }

  function stop() {
    clearTimeout(timer);
    if (frame < 0) clearTimeout(-frame);
    else cancelAnimationFrame(frame);
  }

  return {
    /** Hides the clock, or shows the whole time. @param {number} allowed seconds; 0: no limit */
    show(allowed) {
      bar.hidden = seconds.hidden = allowed === 0;
    },
    /** @param {number} allowed seconds; 0: no limit */
    start(allowed) {
      stop();
      this.show(allowed);
      if (allowed === 0) return;
      length = allowed * 1000;
      end = performance.now() + length;
      timer = setTimeout(() => {
        draw();
        onEnd();
      }, length);
      draw();
    },
    stop,
  };
}
