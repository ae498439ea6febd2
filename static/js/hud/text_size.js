/** Marks the page of a table while its text is too large for the frame: then the page may be scrolled. */
import { byId } from "../lib/dom.js";

/** The width and height that the frame needs, in letters of the root. */
const NEEDED = [44, 33];
/** Smaller text than this has room on every screen that the frame is made for. */
const USUAL = 18;

export function watchTextSize() {
  const root = document.documentElement;
  const ruler = byId("text-ruler");
  function look() {
    const letter = ruler.offsetWidth;
    const [width, height] = NEEDED.map((letters) => letters * letter);
    const isTooLarge = letter > USUAL && (innerWidth < width || innerHeight < height);
    root.classList.toggle("has-large-text", isTooLarge);
  }
  new ResizeObserver(look).observe(ruler);
  window.addEventListener("resize", look);
}
