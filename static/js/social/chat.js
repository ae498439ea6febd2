/** The chat: beside the table on a wide screen, in a panel that opens on a phone. */

import { byId, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { recallKey, storeKey } from "../lib/session_records.js";
import { sayIn } from "../lib/voice.js";
import { createChatForm } from "./chat_form.js";
import { createLines } from "./chat_lines.js";
import { createMutedPlayers } from "./muted_players.js";

/**
 * @import { Reader } from "./chat_lines.js"
 * @typedef {{you: Reader, isOn: boolean, isClosed: boolean, waiting: string[]}} State `waiting`: lines that are sent but not acknowledged
 */

const MOST_LINES = 200;
const SHOWN_FOR = 6_000;

const WORDS = {
  /** @param {Wire.Line} line */
  said: ({ player, text }) => `${player}: ${text}`,
  sent: gettext("Sent."),
};

/**
 * @param {{key: string, say: (text: string) => void, unsay: (line: number) => void,
 *   silence: (player: string, on: boolean) => void, report?: (line: Wire.Line) => void}} options
 *   `key` names this player at this table
 */
export function createChat({ key, say, unsay, silence, report }) {
  const panel = byId("chat-panel");
  const toggle = byId("chat-toggle");
  const isBeside = window.matchMedia("(min-width: 1100px) and (min-height: 521px)");
  const muted = createMutedPlayers(() => draw());
  const lines = createLines({ muted, remove: unsay, silence, report });
  const form = createChatForm({ say });
  /** @type {Wire.Line[]} */
  let allLines = [];
  let last = 0;
  const seenKey = `chat-seen/${key}`;
  const recalled = recallKey(seenKey);
  /** The last line that was seen, also in this tab before a reload. */
  let lastRead = Number(recalled);
  let hasArrived = false;
  let toastTimer = 0;
  /** @type {State} */
  let state = {
    you: { player: null, runs: false, silenced: [] },
    isOn: true,
    isClosed: false,
    waiting: [],
  };

  toggle.addEventListener("click", () => (isOpen() ? open(false) : enter()));
  byId("chat-toast").addEventListener("click", enter);
  byId("chat-close").addEventListener("click", leave);
  panel.addEventListener("keydown", (event) => event.key === "Escape" && leave());
  isBeside.addEventListener("change", () => draw());

  const isOpen = () => panel.classList.contains("is-open");
  const isSeen = () => isBeside.matches || isOpen();

  /** @param {boolean} isNow */
  function open(isNow) {
    panel.classList.toggle("is-open", isNow);
    setAttribute(toggle, "aria-expanded", String(isNow));
    if (isNow) lines.toEnd();
    draw();
  }

  /** Where it lies over the game the focus goes along, and to no field: a phone would show its keyboard. */
  function enter() {
    open(true);
    byId("chat-close").focus({ preventScroll: true });
  }

  /** Back to the game: the keys are its own again. */
  function leave() {
    const wasUnderLid = isOpen() && !isBeside.matches;
    open(false);
    (wasUnderLid ? toggle : byId("console")).focus({ preventScroll: true });
  }

  /** Announced once, in a separate live region: the list itself is silent. @param {string} words */
  const speak = (words) => sayIn("chat-voice", words);

  /** @param {Wire.Line} line */
  const isOthers = ({ player }) => player !== state.you.player && !muted.has(player);

  /** Lines that came while I am here. @param {Wire.Line[]} fresh */
  function hear(fresh) {
    const others = fresh.filter(isOthers);
    if (fresh.some(({ player }) => player === state.you.player)) speak(WORDS.sent);
    for (const line of others) speak(WORDS.said(line));
    if (isSeen() || !others.length) return;
    show(WORDS.said(others[others.length - 1]));
  }

  /** A short line while the chat is not visible. @param {string} text */
  function show(text) {
    clearTimeout(toastTimer);
    setText(byId("chat-toast"), text);
    toastTimer = setTimeout(() => setText(byId("chat-toast"), ""), SHOWN_FOR);
  }

  /** @param {number} line */
  function noteSeen(line) {
    lastRead = line;
    storeKey(seenKey, String(line));
  }

  function draw() {
    const { you, isOn, isClosed, waiting } = state;
    lines.draw(
      isOn ? allLines.filter(({ player }) => player === you.player || !muted.has(player)) : [],
      you,
    );
    form.draw({ waiting });
    if (isSeen()) {
      if (lastRead !== last) noteSeen(last);
      setText(byId("chat-toast"), "");
    }
    panel.classList.toggle("is-off", !isOn);
    panel.classList.toggle("is-over", isClosed);
    byId("chat-off").hidden = isOn;
    toggle.hidden = !isOn && !isOpen();
    const unread = allLines.filter((line) => line.line > lastRead && isOthers(line)).length;
    setText(byId("chat-unread-count"), String(unread));
    byId("chat-unread").hidden = !unread;
  }

  return {
    /** @param {string} player */
    isMuted: (player) => muted.has(player),
    /** A snapshot's lines are all that there is. @param {Wire.Line[]} chat */
    replace(chat) {
      const fresh = hasArrived ? chat.filter(({ line }) => line > last) : [];
      allLines = [...chat];
      last = Math.max(last, allLines.at(-1)?.line ?? 0);
      // Lines from before I came are not new. After a restore of the site the ids begin lower again.
      if (!hasArrived && (recalled === null || lastRead > last)) noteSeen(last);
      hasArrived = true;
      hear(fresh);
      draw();
    },
    /** Whether the line follows the last one that I know. @param {Wire.Line} line @param {number} before */
    said(line, before) {
      if (allLines.some((other) => other.line === line.line)) return true;
      // Two lines of one moment may come in either order.
      const isNext = line.line < last || before === last || before === (allLines.at(-1)?.line ?? 0);
      if (!isNext) return false;
      allLines = [...allLines, line].sort((one, other) => one.line - other.line).slice(-MOST_LINES);
      last = Math.max(last, line.line);
      hear([line]);
      draw();
      return true;
    },
    /** @param {number} id */
    unsaid(id) {
      allLines = allLines.filter(({ line }) => line !== id);
      draw();
    },
    /** To the field, from anywhere. Whether there is one. */
    write() {
      if (!state.isOn || state.isClosed || !form.exists()) return false;
      open(true);
      form.focus();
      return true;
    },
    refused: form.refused,
    /** @param {State} next */
    draw(next) {
      state = next;
      draw();
    },
  };
}
