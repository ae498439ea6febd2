/** Reports of a person or of one message to the site's operators. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

const WORDS = {
  /** @param {string} player */
  person: (player) => gettext("Report %(player)s", { player }),
  /** @param {string} player */
  line: (player) => gettext("Report a message from %(player)s", { player }),
  failed: gettext("That didn't work. Try again later."),
};

/**
 * @typedef {{person: (player: string) => void, line: (line: Wire.Line) => void}} Reports
 * @returns {Reports|null} nothing for visitors without an account
 */
export function createReportDialog() {
  const found = document.getElementById("report-dialog");
  if (!(found instanceof HTMLDialogElement)) return null;
  const dialog = found;
  const form = byId("report-form", HTMLFormElement);
  const reason = byId("report-reason", HTMLSelectElement);
  const text = byId("report-text", HTMLTextAreaElement);
  const quote = byId("report-quote");
  /** @type {Record<string, string>} */
  let about = {};

  wireDialog(dialog);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });

  /** @param {string} title @param {string} message @param {Record<string, string>} subject */
  function open(title, message, subject) {
    about = subject;
    setText(byId("report-title"), title);
    setText(quote, message);
    quote.hidden = !message;
    // Some reasons are about a person alone.
    for (const option of reason.options) {
      option.hidden = option.disabled = "person" in option.dataset && Boolean(message);
    }
    form.reset();
    form.hidden = false;
    say("", false);
    dialog.showModal();
  }

  /** @param {string} words @param {boolean} isDone */
  function say(words, isDone) {
    setText(byId("report-done"), isDone ? words : "");
    setText(byId("report-refusal"), isDone ? "" : words);
  }

  async function send() {
    const button = byId("report-send", HTMLButtonElement);
    const token = form.querySelector("input")?.value ?? "";
    const typed = { reason: reason.value, text: text.value };
    const body = new URLSearchParams({ csrfmiddlewaretoken: token, ...about, ...typed });
    const subject = about;
    button.disabled = true;
    try {
      const headers = { "X-Requested-With": "fetch" };
      const answer = await fetch(form.action, { method: "POST", body, headers });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      const { isDone, says } = await answer.json();
      if (subject !== about) return;
      say(says, isDone);
      if (!isDone) return;
      form.hidden = true;
      byId("report-close").focus();
    } catch {
      say(WORDS.failed, false);
    } finally {
      button.disabled = false;
    }
  }

  return {
    person: (player) => open(WORDS.person(player), "", { player }),
    line: ({ player, text: message, line }) =>
      open(WORDS.line(player), message, { line: String(line) }),
  };
}
