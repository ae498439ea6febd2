/** Short lines in a live region, which screen readers announce. */
import { byId, el } from "./dom.js";

const KEPT_FOR = 8_000;

/** Announces `words` in the live region with this id, and removes them later. @param {string} id @param {string} words */
export function sayIn(id, words) {
  const line = el("p", {}, words);
  byId(id).append(line);
  setTimeout(() => line.remove(), KEPT_FOR);
}
