/** The lines of the chat. Their text is inserted as text, without links. */
import { byId, el, find, findAll, reconcile, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { formatTime } from "../text/time_of_day.js";

/** @type {Record<string, number>} */
const STEPS = { ArrowUp: -1, ArrowDown: 1 };
const WORDS = {
  you: gettext("you"),
  /** @param {string} player */
  about: (player) => gettext("Options for this message from %(player)s", { player }),
  /** @param {string} player */
  mute: (player) => gettext("Mute %(player)s for me", { player }),
  remove: gettext("Remove this message for everyone"),
  /** @param {string} player */
  silence: (player) => gettext("Mute %(player)s for everyone", { player }),
  /** @param {string} player */
  unsilence: (player) => gettext("Unmute %(player)s for everyone", { player }),
  report: gettext("Report this message to the operators"),
  leave: gettext("Close"),
  /** @param {number} count */
  muted: (count) => gettext("%(count)s muted", { count }),
  unmute: gettext("Unmute"),
};

/**
 * @import { Muted } from "./muted_players.js"
 * @typedef {Pick<Wire.You, "player"|"runs"|"silenced">} Reader
 * @param {{muted: Muted, remove: (line: number) => void, silence: (player: string, on: boolean) => void, report?: (line: Wire.Line) => void}} options
 */
export function createLines({ muted, remove, silence, report }) {
  const list = byId("chat-list");
  const scroller = byId("chat-lines");
  const dialog = byId("line-dialog", HTMLDialogElement);
  /** @type {Reader} */
  let you = { player: null, runs: false, silenced: [] };

  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  list.addEventListener("keydown", walk);

  /**
   * One stop of the tab key for all lines; the arrows walk from one to the next.
   * @param {KeyboardEvent} event
   */
  function walk(event) {
    const step = STEPS[event.key];
    const stops = findAll(list, ".chat-more");
    const at = event.target instanceof HTMLElement ? stops.indexOf(event.target) : -1;
    const next = stops[at + (step ?? 0)];
    if (!step || !next) return;
    event.preventDefault();
    settle(next);
    next.focus();
  }

  /** @param {HTMLElement} stop */
  function settle(stop) {
    for (const other of findAll(list, ".chat-more")) other.tabIndex = other === stop ? 0 : -1;
  }

  /** My actions on a line. @param {Wire.Line} message */
  function listChoices(message) {
    const { line, player } = message;
    const isMine = player === you.player;
    const isSilenced = you.silenced?.includes(player);
    /** @type {[words: string, act: () => void][]} */
    const choices = [];
    if (!isMine) choices.push([WORDS.mute(player), () => muted.mute(player)]);
    if (you.runs || isMine) choices.push([WORDS.remove, () => remove(line)]);
    if (you.runs && !isMine && !isSilenced)
      choices.push([WORDS.silence(player), () => silence(player, true)]);
    if (you.runs && isSilenced)
      choices.push([WORDS.unsilence(player), () => silence(player, false)]);
    if (report && !isMine) choices.push([WORDS.report, () => report(message)]);
    choices.push([WORDS.leave, () => {}]);
    return choices;
  }

  /** @param {() => void} act */
  function closeThen(act) {
    dialog.close();
    act();
  }

  /** @param {Wire.Line} line */
  function openMenu(line) {
    setText(byId("line-title"), line.player);
    setText(byId("line-quote"), line.text);
    const buttons = listChoices(line).map(([words, act]) =>
      el(
        "button",
        { type: "button", class: "button is-quiet", onclick: () => closeThen(act) },
        words,
      ),
    );
    byId("line-choices").replaceChildren(...buttons);
    dialog.showModal();
  }

  /** @param {Wire.Line} line */
  function createLine(line) {
    return el(
      "li",
      { class: "chat-line", "data-line": line.line },
      el(
        "p",
        { class: "chat-who" },
        el("b", { "data-colour": line.colour }, line.player),
        el("span", { class: "chat-you" }, WORDS.you),
        el("time", { datetime: new Date(line.at).toISOString() }, formatTime(line.at)),
      ),
      el("p", { class: "chat-text", dir: "auto" }, line.text),
      el(
        "button",
        {
          type: "button",
          class: "chat-more",
          tabindex: "-1",
          "aria-haspopup": "dialog",
          "aria-label": WORDS.about(line.player),
          onclick: () => openMenu(line),
        },
        el("span", { "aria-hidden": "true" }, "⋯"),
      ),
    );
  }

  function drawMuted() {
    const names = muted.all().filter((name) => name !== you.player);
    const hadFocus = byId("muted").contains(document.activeElement);
    byId("muted").hidden = !names.length;
    setText(byId("muted-count"), WORDS.muted(names.length));
    reconcile(
      byId("muted-names"),
      names,
      String,
      (name) =>
        el(
          "li",
          {},
          el("span", {}, name),
          el(
            "button",
            {
              type: "button",
              class: "button is-quiet is-small",
              onclick: () => muted.unmute(name),
            },
            WORDS.unmute,
            el("span", { class: "visually-hidden" }, ` ${name}`),
          ),
        ),
      () => {},
    );
    if (hadFocus && !byId("muted").contains(document.activeElement))
      scroller.focus({ preventScroll: true });
  }

  return {
    /** @param {Wire.Line[]} lines all that may be read @param {Reader} viewer */
    draw(lines, viewer) {
      you = viewer;
      const wasAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;
      const hadFocus = list.contains(document.activeElement);
      reconcile(
        list,
        lines,
        ({ line }) => String(line),
        createLine,
        (node, { player }) => {
          // Here: the first lines are drawn before it is known who reads them.
          const isMine = player === you.player;
          node.classList.toggle("is-mine", isMine);
          find(node, ".chat-you").hidden = !isMine;
          find(node, ".chat-more").hidden = you.player === null;
        },
      );
      byId("chat-empty").hidden = lines.length > 0;
      const stops = findAll(list, ".chat-more");
      const last = stops.at(-1);
      if (last && !stops.some((stop) => stop === document.activeElement)) settle(last);
      if (hadFocus && !list.contains(document.activeElement))
        scroller.focus({ preventScroll: true });
      setAttribute(scroller, "tabindex", "0");
      if (wasAtEnd) this.toEnd();
      drawMuted();
    },
    toEnd() {
      scroller.scrollTop = scroller.scrollHeight;
    },
  };
}
