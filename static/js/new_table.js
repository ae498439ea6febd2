/** The forms that open and change a table: the exact edge of the chosen options, while they are chosen. */
import { byId, el, find, findAll, setAttribute, setClasses, setText } from "./lib/dom.js";
import { gettext } from "./lib/i18n.js";
import { startPage } from "./net/start_page.js";
import { wireBell } from "./social/bell.js";

startPage();
wireBell();

/**
 * @typedef {object} Odds
 * @property {Record<string, string[]>} errors by field
 * @property {string} [edge]
 * @property {string} [compared] the difference from the rule set
 * @property {Record<string, string>} [costs] what each changed option costs
 */

/** Waits until a number is typed. */
const PAUSE = 350;
/** A site that computes for others, or a limit that is used up. */
const AFTER_REFUSAL = 10_000;
/** A value that is known arrives sooner, and needs no mark. */
const SHOW_WAITING_AFTER = 250;
const PRIVATE = ["csrfmiddlewaretoken", "name", "made_from"];

const WORDS = {
  conflict: gettext("These rules can't be played."),
  later: gettext(
    "The odds are not available at the moment. You can create the table without them.",
  ),
  laterOfOpen: gettext("The odds are not available at the moment. You can save without them."),
};

const form = find(document, ".table-form", HTMLFormElement);
const isOpen = form.querySelector("[name=made_from]") !== null;
const panel = byId("live-odds");
let timer = 0;
/** @type {AbortController|null} */
let running = null;
let lastParameters = "";

/** The rule set and its options, as the site reads them. */
function query() {
  const fields = [...new FormData(form)].filter(
    ([name, value]) => typeof value === "string" && value && !PRIVATE.includes(name),
  );
  return new URLSearchParams(/** @type {[string, string][]} */ (fields)).toString();
}

/** @param {number} pause */
function plan(pause) {
  clearTimeout(timer);
  timer = setTimeout(update, pause);
}

async function update() {
  const parameters = query();
  if (parameters === lastParameters) return;
  running?.abort();
  const own = new AbortController();
  running = own;
  const waiting = setTimeout(() => setWaiting(true), SHOW_WAITING_AFTER);
  try {
    const answer = await fetch(`${panel.dataset.source}?${parameters}`, {
      headers: { Accept: "application/json" },
      signal: own.signal,
    });
    if (own.signal.aborted) return;
    if (answer.ok && !answer.redirected) {
      show(await answer.json());
      lastParameters = parameters;
    } else refuse(answer.redirected ? 0 : AFTER_REFUSAL);
  } catch {
    if (!own.signal.aborted) refuse(AFTER_REFUSAL);
  } finally {
    clearTimeout(waiting);
    if (running === own) setWaiting(false);
  }
}

/** @param {boolean} isWaiting */
function setWaiting(isWaiting) {
  setClasses(panel, { "is-waiting": isWaiting });
  setAttribute(panel, "aria-busy", isWaiting ? "true" : null);
}

/** @param {number} pause until it is tried again; 0: not at all */
function refuse(pause) {
  panel.hidden = false;
  showEdge("");
  setText(byId("live-odds-compared"), isOpen ? WORDS.laterOfOpen : WORDS.later);
  if (pause) plan(pause);
}

/** In the box, and at the bottom of a small screen. @param {string} text */
function showEdge(text) {
  setText(byId("live-odds-edge"), text);
  setText(byId("live-odds-line"), text);
}

/** @param {Odds} odds */
function show({ errors, edge, compared, costs }) {
  panel.hidden = false;
  showEdge(edge ?? WORDS.conflict);
  setText(byId("live-odds-compared"), compared ?? Object.values(errors).flat().join(" "));
  for (const field of findAll(form, ".more-options .field")) {
    const input = /** @type {HTMLInputElement|HTMLSelectElement} */ (
      field.querySelector("input, select")
    );
    const message = errors[input.name]?.join(" ") ?? "";
    note(field, input, message || (costs?.[input.name] ?? ""), Boolean(message));
  }
}

/**
 * Writes a line below an option: its cost, or why it cannot be played.
 * @param {HTMLElement} field @param {Element} input @param {string} text @param {boolean} isError
 */
function note(field, input, text, isError) {
  // The page was rendered with the errors of earlier options.
  for (const old of field.querySelectorAll(".field-errors")) old.remove();
  setClasses(field, { "has-errors": isError });
  setAttribute(input, "aria-invalid", isError ? "true" : null);
  const id = `${input.id}_odds`;
  const line = document.getElementById(id) ?? el("p", { id, class: "option-cost" });
  setText(line, text);
  setClasses(line, { "is-error": isError });
  if (!line.isConnected) {
    field.append(line);
    const others = input.getAttribute("aria-describedby");
    setAttribute(input, "aria-describedby", others ? `${others} ${id}` : id);
  }
}

form.addEventListener("input", () => plan(PAUSE));
// Out of the line at the bottom of a small screen.
form.addEventListener("focusin", ({ target }) => {
  if (target instanceof Element) target.scrollIntoView({ block: "nearest" });
});
// A browser that comes back to the page restores the options without an event.
window.addEventListener("pageshow", () => plan(0));
