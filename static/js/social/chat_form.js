/** The form of the chat: the field with its limit, quick phrases, and refusals. */
import { byId, el, find, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

const MOST = 200;
const NEAR_THE_END = 40;
/** A line that is on its way for longer is shown. */
const SLOW = 700;
const REFUSED_FOR = 8_000;
/** A computer that sleeps stops its timers, so none is long. */
const LONGEST_TIMER = 30_000;

const WORDS = {
  phrases: [
    gettext("Nice hand!"),
    gettext("Well played."),
    gettext("Ouch."),
    gettext("One moment, please."),
    gettext("Thank you!"),
    gettext("Good night."),
  ],
  /** @param {number} count */
  left: (count) =>
    count > 0 ? gettext("%(count)s characters left", { count }) : gettext("No characters left"),
  /** @param {string[]} texts */
  slow: (texts) => gettext("Not sent yet: %(lines)s", { lines: texts.join(" / ") }),
};

/**
 * A silence that has an end ends without a new page.
 * @param {HTMLElement} form
 */
function endSilence(form) {
  const note = document.getElementById("chat-silenced");
  const until = Date.parse(note?.dataset.until ?? "");
  if (!note || Number.isNaN(until)) return;
  const check = () => {
    const remaining = until - Date.now();
    if (form.hidden && remaining > 0) setTimeout(check, Math.min(remaining, LONGEST_TIMER));
    form.hidden &&= remaining > 0;
    note.hidden = !form.hidden;
  };
  check();
}

/**
 * @typedef {{exists: () => boolean, draw: (state: {waiting: string[]}) => void, refused: (text: string, why: string) => void, focus: () => void}} ChatForm
 * @param {{say: (text: string) => void}} options @returns {ChatForm}
 */
export function createChatForm({ say }) {
  const form = document.getElementById("chat-form");
  if (!form) return { exists: () => false, draw() {}, refused() {}, focus() {} };
  endSilence(form);
  const input = byId("chat-input", HTMLInputElement);
  const toggle = byId("phrases-toggle");
  const phrases = byId("phrases");
  /** @type {string[]} */
  let waiting = [];
  let slowTimer = 0;
  let refusalTimer = 0;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    input.value = "";
    count();
    send(text);
  });
  input.addEventListener("input", () => {
    count();
    refuse("");
  });
  toggle.addEventListener("click", () => unfold(Boolean(phrases.hidden)));
  phrases.append(
    ...WORDS.phrases.map((text) =>
      el("button", { type: "button", class: "phrase", onclick: () => speak(text) }, text),
    ),
  );
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || phrases.hidden) return;
    event.stopPropagation();
    unfold(false);
    toggle.focus();
  });
  form.addEventListener(
    "focusout",
    ({ relatedTarget }) =>
      relatedTarget instanceof Node && !form.contains(relatedTarget) && unfold(false),
  );

  /** @param {boolean} isOpen */
  function unfold(isOpen) {
    phrases.hidden = !isOpen;
    setAttribute(toggle, "aria-expanded", String(isOpen));
    if (isOpen) find(phrases, "button").focus();
  }

  /** @param {string} text */
  function speak(text) {
    unfold(false);
    toggle.focus();
    send(text);
  }

  /** @param {string} text */
  function send(text) {
    refuse("");
    say(text);
  }

  /** It is read, and goes away. @param {string} why */
  function refuse(why) {
    clearTimeout(refusalTimer);
    setText(byId("chat-refusal"), why);
    if (why) refusalTimer = setTimeout(() => refuse(""), REFUSED_FOR);
  }

  function count() {
    const remaining = MOST - input.value.length;
    setText(byId("chat-left"), remaining <= NEAR_THE_END ? WORDS.left(remaining) : "");
  }

  return {
    /** Watchers without an account, and players whom an operator has muted, have no field. */
    exists: () => !form.hidden,
    /** @param {{waiting: string[]}} state lines that are sent but not acknowledged */
    draw(state) {
      waiting = state.waiting;
      if (waiting.length) {
        slowTimer ||= setTimeout(() => setText(byId("chat-slow"), WORDS.slow(waiting)), SLOW);
        return;
      }
      clearTimeout(slowTimer);
      slowTimer = 0;
      setText(byId("chat-slow"), "");
    },
    /**
     * Refused: the text is in the field again, before newer text.
     * @param {string} text @param {string} why
     */
    refused(text, why) {
      if (!WORDS.phrases.includes(text))
        input.value = [text, input.value].filter(Boolean).join(" ");
      count();
      refuse(why);
    },
    focus: () => input.focus(),
  };
}
