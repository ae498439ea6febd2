/** Keeps the keyboard's focus on the page when the element that had it is taken away. */

const A_FRAME = 40;

/**
 * A button may remove itself, or the dialog that it is in: then the browser's focus is on nothing, and
 * a screen reader starts at the top. It goes to the open dialog instead, or to `home`.
 * @param {HTMLElement} home
 */
export function keepFocus(home) {
  /** @type {Element|null} */
  let last = null;
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
  });

  function look() {
    if (document.activeElement !== document.body || !last || isThere(last)) return;
    last = null;
    const [dialog] = [...document.querySelectorAll("dialog[open]")].slice(-1);
    const inside = dialog?.querySelector("button:not([hidden])");
    /** @type {HTMLElement} */ (inside ?? home).focus({ preventScroll: true });
  }

  let timer = 0;
  /** Later, too: the browser lets go of a hidden element only when it draws the page. */
  function lookTwice() {
    look();
    clearTimeout(timer);
    timer = setTimeout(look, A_FRAME);
  }

  new MutationObserver(lookTwice).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ["hidden", "open", "class"],
  });
}

/** @param {Element} node */
function isThere(node) {
  return node.isConnected && node.checkVisibility();
}
