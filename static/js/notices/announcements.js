/** Announcements of operators at a table and in the lobby, pauses, and maintenance with its countdown. */
import { byId, el, find, findAll, getChildren, setAttribute, setText } from "../lib/dom.js";
import { gettext, ngettext } from "../lib/i18n.js";
import { translateStored } from "../text/stored_sentences.js";

/** @import { Table } from "../model/table_model.js" */

/** How long an announcement is shown; pages opened later do not show it. */
const SHOWN_FOR = 600_000;
/** The remaining minutes at which a screen reader announces them. */
const SPOKEN_AT = [30, 15, 10, 5, 2, 1];

const WORDS = {
  close: gettext("Close"),
  from: gettext("From the site:"),
  begun: gettext("The site is under maintenance. No new rounds start."),
  /** @param {string} time */
  before: (time) =>
    gettext("Maintenance starts in %(time)s. No new rounds start after that.", { time }),
  /** @param {number} minutes */
  minutes: (minutes) =>
    ngettext(
      "Maintenance starts in %(minutes)s minute.",
      "Maintenance starts in %(minutes)s minutes.",
      minutes,
      { minutes },
    ),
  paused: gettext("An operator has paused this table."),
  pausing: gettext("An operator will pause this table after this round."),
  pausedByHost: gettext("The host has paused this table."),
  pausingByHost: gettext("The host pauses this table after this round."),
  pausedByYou: gettext("You have paused this table."),
  pausingByYou: gettext("This table is paused after this round."),
};

/** @typedef {ReturnType<typeof createAnnouncements>} Announcements */

/**
 * @param {{now: () => number, onHold?: () => void}} options
 *   `now` by the server's clock; `onHold` is called when maintenance begins, and when it is over.
 */
export function createAnnouncements({ now, onHold }) {
  const place = byId("announcements");
  /** @param {string} name */
  const part = (name) => find(place, `[data-news="${name}"]`);
  const [paused, maintenance, announcements] = ["paused", "maintenance", "announcements"].map(part);
  /** @type {Wire.PublicMaintenance|null} */
  let plan = null;
  let spoken = { about: "", minutes: 0 };
  let wasBegun = false;

  const name = place.getAttribute("aria-label");

  /** Without anything in it, it is no part of the page that somebody could go to. */
  function drawRegion() {
    const isEmpty = [...place.children].every(
      (line) => /** @type {HTMLElement} */ (line).hidden || !line.textContent?.trim(),
    );
    setAttribute(place, "aria-label", isEmpty ? null : name);
  }
  new MutationObserver(drawRegion).observe(place, {
    subtree: true,
    childList: true,
    attributeFilter: ["hidden"],
  });
  drawRegion();

  /** What each notice was about when it was closed. @type {Map<HTMLElement, string>} */
  const closed = new Map();
  for (const button of findAll(place, "[data-closes-news]")) {
    const line = /** @type {HTMLElement} */ (button.parentElement);
    button.addEventListener("click", () => {
      closed.set(line, line.dataset.about ?? "");
      line.hidden = true;
    });
  }

  /**
   * Show a notice until it is closed, or hide it. A closed one comes back when it is about something else.
   * @param {HTMLElement} line @param {string} about "" hides it
   */
  function show(line, about) {
    line.dataset.about = about;
    line.hidden = !about || closed.get(line) === about;
  }

  const isBegun = () => plan !== null && plan.at <= now();

  /**
   * One line each for the site and this table. A closed announcement stays closed.
   * @param {string} from @param {Wire.Announcement|null} announcement
   */
  function announce(from, announcement) {
    const [old] = findAll(announcements, `[data-from="${from}"]`);
    const key = announcement ? String(announcement.at) : "";
    if (old && old.dataset.at !== key) old.remove();
    if (!announcement || old?.dataset.at === key || recall(from) === key) return;
    const end = announcement.at + SHOWN_FOR - now();
    if (end <= 0) return;
    const close = () => {
      line.remove();
      keep(from, key);
    };
    const line = el(
      "div",
      { class: "announcement", "data-from": from, "data-at": key },
      el("p", {}, el("b", {}, WORDS.from), " ", translateStored(announcement.text)),
      el(
        "button",
        {
          type: "button",
          class: "button is-quiet is-small is-cross",
          "aria-label": WORDS.close,
          onclick: close,
        },
        "×",
      ),
    );
    announcements.append(line);
    setTimeout(() => line.remove(), end);
  }

  function drawMaintenance() {
    show(maintenance, plan ? `${plan.at} ${plan.says} ${isBegun()}` : "");
    const [line, says, aloud] = getChildren(find(maintenance, "p"));
    const remaining = plan ? Math.max(0, plan.at - now()) : 0;
    setText(line, plan ? (remaining ? WORDS.before(formatClock(remaining)) : WORDS.begun) : "");
    setText(says, plan?.says ?? "");
    speak(aloud, remaining);
    if (isBegun() === wasBegun) return;
    wasBegun = isBegun();
    onHold?.();
  }

  /**
   * At once, when few minutes are left, and when it begins; not at every second.
   * @param {Element} aloud @param {number} remaining
   */
  function speak(aloud, remaining) {
    const about = plan ? `${plan.at} ${plan.says}` : "";
    const minutes = Math.ceil(remaining / 60_000);
    const isDue = !remaining || SPOKEN_AT.includes(minutes);
    if (about === spoken.about && (!isDue || minutes === spoken.minutes)) return;
    spoken = { about, minutes };
    setText(aloud, plan ? `${remaining ? WORDS.minutes(minutes) : WORDS.begun} ${plan.says}` : "");
  }

  setInterval(() => plan && drawMaintenance(), 1_000);

  /** @param {Wire.PublicHouse} news */
  function house({ maintenance: planned, announcement }) {
    plan = planned;
    announce("house", announcement);
    drawMaintenance();
  }

  /** @param {Wire.Announcement|null} announcement */
  const table = (announcement) => announce("table", announcement);

  return {
    /** Why no round begins anywhere now; "" when rounds do. */
    get holds() {
      return isBegun() ? WORDS.begun : "";
    },
    /** Show the state of the site. */
    house,
    /** Show the announcement to this table; null for none. */
    table,
    /** @param {{house: Wire.PublicHouse, announcement: Wire.Announcement|null}} snapshot */
    all(snapshot) {
      house(snapshot.house);
      table(snapshot.announcement);
    },
    /** @param {Table} table @param {string|null} you */
    pause({ paused: because, paused_by_host: isHosts, phase, maker }, you) {
      show(paused, because === null ? "" : `${isHosts} ${because}`);
      const [line, says] = getChildren(find(paused, "p"));
      const [now, soon] = !isHosts
        ? [WORDS.paused, WORDS.pausing]
        : maker !== null && maker === you
          ? [WORDS.pausedByYou, WORDS.pausingByYou]
          : [WORDS.pausedByHost, WORDS.pausingByHost];
      setText(line, because === null ? "" : phase === "playing" ? soon : now);
      setText(says, because === null ? "" : translateStored(because));
    },
  };
}

/** 65000 → "1:05", and with hours "1:01:05". @param {number} milliseconds */
function formatClock(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  /** @param {number} number */
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** @param {string} from */
function recall(from) {
  try {
    return sessionStorage.getItem(`announced/${from}/${location.pathname}`);
  } catch {
    return null;
  }
}

/** @param {string} from @param {string} key */
function keep(from, key) {
  try {
    sessionStorage.setItem(`announced/${from}/${location.pathname}`, key);
  } catch {
    // Without storage it is shown again after a reload.
  }
}
