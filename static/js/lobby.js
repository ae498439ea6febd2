/** Keeps the list of tables in the lobby current. */
import { byId, setText } from "./lib/dom.js";
import { gettext } from "./lib/i18n.js";
import { connect } from "./net/reconnecting_socket.js";
import { startPage } from "./net/start_page.js";
import { createAnnouncements } from "./notices/announcements.js";
import { createBell } from "./social/bell.js";

startPage();

/** @import { Handlers } from "./net/table_feed.js" */

const SHORTEST_PAUSE = 1_000;
const AFTER_FAILURE = 5_000;

const list = byId("lobby-tables");
const news = byId("lobby-news");
let lastFetch = 0;
let timer = 0;
let since = Number(form()?.dataset.now);
let isConnected = false;

/** @param {ParentNode} [page] */
function form(page = document) {
  return /** @type {HTMLElement|null} */ (page.querySelector("#take-seat"));
}

/** Fetches the whole list once, after frames that this page may have missed. */
function refetch() {
  if (timer) return;
  timer = setTimeout(fetchList, Math.max(0, lastFetch + SHORTEST_PAUSE - Date.now()));
}

async function fetchList() {
  lastFetch = Date.now();
  try {
    const answer = await fetch(list.dataset.source ?? "", {
      headers: { "X-Requested-With": "fetch" },
    });
    const html = answer.ok && !answer.redirected ? await answer.text() : "";
    if (html) afterRelease(() => replace(html));
  } catch {
    // The line is away. When the socket returns, the page is told again what it missed.
    if (!isConnected) setTimeout(refetch, AFTER_FAILURE);
  } finally {
    timer = 0;
  }
}

/** Puts a fetched list in. @param {string} html */
function replace(html) {
  const parsed = parse(html);
  const before = form()?.dataset.viewer;
  if (before && form(parsed)?.dataset.viewer === "") byId("logged-out").hidden = false;
  since = Math.max(since || 0, Number(form(parsed)?.dataset.now));
  keepPlaces(parsed);
  change(list, () => list.replaceChildren(...parsed.children));
  if (!isConnected) follow();
}

/**
 * Puts the cards of tables that changed in. A new table comes last, so that nothing moves; on one
 * of several pages it has no place.
 * @param {Wire.LobbyTables["tables"]} tables
 */
function update(tables) {
  const cards = list.querySelector("ul.tables");
  if (!(cards instanceof HTMLElement)) return;
  change(cards, () => {
    for (const { id, html } of tables) {
      const old = document.getElementById(`table-${id}`);
      const card = html === null ? null : parse(html).querySelector("li");
      if (!card) {
        old?.remove();
      } else if (old) {
        keepForm(card, old);
        old.replaceWith(card);
      } else if (!cards.dataset.more || card.classList.contains("is-yours")) {
        cards.append(card);
      }
    }
    byId("no-tables").hidden = cards.children.length > 0;
  });
}

/** @param {string} html */
function parse(html) {
  return new DOMParser().parseFromString(html, "text/html").body;
}

/** A line stays a line until the page is loaded again. @param {Element} card @param {Element} old */
function keepForm(card, old) {
  card.classList.toggle("is-compact", old.classList.contains("is-compact"));
}

/**
 * Gives a fetched list the order and the form of the old one, so that nothing moves: new tables come
 * last.
 * @param {ParentNode} parsed
 */
function keepPlaces(parsed) {
  const next = parsed.querySelector("ul.tables");
  if (!next) return;
  for (const old of [...list.querySelectorAll("li.table-card")].reverse()) {
    const card = parsed.querySelector(`#${old.id}`);
    if (!card) continue;
    keepForm(card, old);
    next.prepend(card);
  }
}

/**
 * Changes a part of the page, puts the focus back where it was, and says which tables are new or gone.
 * @param {HTMLElement} part
 * @param {() => void} act
 */
function change(part, act) {
  const before = listNames(part);
  const active = part.contains(document.activeElement) ? document.activeElement : null;
  const focused = active?.id;
  const tableOfFocus = active?.closest("li[id]")?.id;
  act();
  const again =
    focused
    && (document.getElementById(focused) ?? document.getElementById(`${tableOfFocus}-link`));
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
  say(before, listNames(part));
}

/** The names of the tables, by the ids of their cards. @param {HTMLElement} part @returns {Map<string, string>} */
function listNames(part) {
  const cards = [...part.querySelectorAll("li.table-card")];
  return new Map(
    cards.map((card) => [card.id, card.querySelector("h2, h3")?.textContent?.trim() ?? ""]),
  );
}

/** Announces new and removed tables. Other changes of cards are too frequent. @param {Map<string, string>} before @param {Map<string, string>} after */
function say(before, after) {
  /** @param {Map<string, string>} some @param {Map<string, string>} others */
  const namesOf = (some, others) =>
    [...some].flatMap(([id, name]) => (others.has(id) ? [] : [name])).join(", ");
  const [opened, removals] = [namesOf(after, before), namesOf(before, after)];
  const words = [
    opened && gettext("New in the list: %(names)s.", { names: opened }),
    removals && gettext("No longer in the list: %(names)s.", { names: removals }),
  ];
  if (opened || removals) setText(news, words.filter(Boolean).join(" "));
}

/** Do not replace a button while it is pressed. @param {() => void} act */
function afterRelease(act) {
  if (!isPressed) act();
  else window.addEventListener("pointerup", () => setTimeout(act), { once: true });
}

let isPressed = false;
for (const event of ["pointerdown", "pointerup", "pointercancel"]) {
  const is = event === "pointerdown";
  window.addEventListener(
    event,
    () => {
      isPressed = is;
    },
    { capture: true },
  );
}

let ahead = 0; // Of this computer's clock, in milliseconds.
const announcements = createAnnouncements({ now: () => Date.now() + ahead });
/** @type {Handlers<"lobby_changed"|"lobby_tables"|"house_news"|"noticed">} */
const handlers = {
  lobby_changed: refetch,
  lobby_tables({ now, tables }) {
    since = now;
    afterRelease(() => update(tables));
  },
  house_news({ now, house }) {
    ahead = now - Date.now();
    announcements.house(house);
  },
  noticed: createBell(),
};

/** Connects as the viewer for whom the list was drawn. */
function follow() {
  isConnected = true;
  connect(() => `${form()?.dataset.socket}&since=${since}`, {
    onMessage(message) {
      const handle = /** @type {((frame: Wire.Outgoing) => void)|undefined} */ (
        handlers[message.t]
      );
      handle?.(message);
    },
    onEnded() {
      isConnected = false;
      refetch();
    },
  });
}

follow();
