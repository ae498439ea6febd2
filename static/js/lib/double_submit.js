/** A form that is sent twice, as by a double tap, is sent once. */

/** How long a sent form waits for the next page; a download brings none. */
const WAIT = 5_000;

/** Watches the forms of a page. Those that a script sends itself are not among them. */
export function ignoreDoubleSubmit() {
  /** @type {WeakSet<EventTarget>} */
  const sent = new WeakSet();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form || event.defaultPrevented) return;
    if (sent.has(form)) {
      event.preventDefault();
      return;
    }
    sent.add(form);
    setTimeout(() => sent.delete(form), WAIT);
    // The page may come back as it was, by the button of the browser.
    addEventListener("pageshow", () => sent.delete(form), { once: true });
  });
}
