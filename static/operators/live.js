/** Keeps a part of an operators' page as it is on the server, every two seconds while somebody looks. */

const EVERY = 2_000;

const place = find("[data-live]");
const late = find(".floor-late");
let isFetching = false;
let isPressed = false;

/** The first element that the selector fits. Throws if there is none. @param {string} selector */
function find(selector) {
  const node = document.querySelector(selector);
  if (node instanceof HTMLElement) return node;
  throw new Error(`No element at ${selector}.`);
}

async function look() {
  if (document.hidden || isFetching || isPressed) return;
  if (isSelected()) {
    tell(place.dataset.held ?? "");
    return;
  }
  isFetching = true;
  try {
    const answer = await fetch(place.dataset.live ?? "", {
      headers: { "X-Requested-With": "fetch" },
    });
    if (answer.redirected || answer.status === 403 || answer.status === 404) location.reload();
    else if (answer.ok) replace(await answer.text());
    tell(answer.ok ? "" : (place.dataset.late ?? ""));
  } catch {
    tell(place.dataset.late ?? "");
  } finally {
    isFetching = false;
  }
}

/** Whether some of the part's text is selected, as to copy it. */
function isSelected() {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(place, true);
}

/**
 * Puts the new part in, and the focus back where it was. What is pressed or selected stays.
 * @param {string} html
 */
function replace(html) {
  if (isPressed || isSelected()) return;
  const active = document.activeElement;
  const focused = place.contains(active) ? active?.id : "";
  const fresh = new DOMParser().parseFromString(html, "text/html");
  place.replaceChildren(...fresh.body.childNodes);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** @param {string} text */
function tell(text) {
  if (late.textContent !== text) late.textContent = text;
}

for (const event of ["pointerdown", "pointerup", "pointercancel"]) {
  const isDown = event === "pointerdown";
  const note = () => {
    isPressed = isDown;
  };
  window.addEventListener(event, () => setTimeout(note), { capture: true });
}

document.addEventListener("visibilitychange", look);
setInterval(look, EVERY);
