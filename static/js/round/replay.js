/**
 * The replay of a round. The page holds everything; each element names its first and last step, and
 * this module hides and shows it.
 */
import { byId, findAll, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

/**
 * The target step of each key and button, from the current step and the last one.
 * @type {Record<string, (at: number, last: number) => number>}
 */
const WAYS = {
  first: () => 0,
  back: (at) => at - 1,
  forward: (at) => at + 1,
  last: (_, last) => last,
};
/** @type {Record<string, string>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };

/** @param {HTMLElement} root everything that changes, and whose keys are listened to */
export function createReplay(root) {
  const lines = findAll(document, "[data-step]");
  const parts = findAll(root, "[data-from], [data-until]").map((node) => ({
    node,
    since: Number(node.dataset.from ?? 0),
    until: Number(node.dataset.until ?? Infinity),
  }));
  const slider = byId("replay-slider", HTMLInputElement);
  const buttons = findAll(root, "[data-go]");
  const last = lines.length - 1;
  let at = last;

  function draw() {
    for (const { node, since, until } of parts) node.hidden = at < since || at >= until;
    lines.forEach((line, step) => setAttribute(line, "aria-current", step === at ? "step" : null));
    for (const button of buttons)
      setAttribute(button, "aria-disabled", target(button.dataset.go ?? "") === at ? "true" : null);
    const count = gettext("%(step)s of %(last)s", { step: at, last });
    setText(byId("replay-count"), count);
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", count);
    setText(byId("replay-now"), lines[at].textContent);
  }

  /** @param {string} way */
  function target(way) {
    return Math.min(last, Math.max(0, WAYS[way](at, last)));
  }

  /** @param {number} step */
  function go(step) {
    if (step === at) return;
    at = step;
    draw();
  }

  for (const button of buttons)
    button.addEventListener("click", () => go(target(button.dataset.go ?? "")));
  slider.addEventListener("input", () => go(Number(slider.value)));
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const way = KEYS[event.key];
    if (!way) return;
    event.preventDefault();
    go(target(way));
  });
  draw();
  byId("replay-controls").hidden = false;
}
