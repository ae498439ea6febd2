/** Keeps the list of tables in the lobby current. */
import { byId, setText } from "./lib/dom.js";
import { gettext } from "./lib/i18n.js";
import { storeZone } from "./lib/zone.js";
import { connect } from "./net/reconnecting_socket.js";
import { createAnnouncements } from "./notices/announcements.js";

storeZone();

/** @import { Handlers } from "./net/table_feed.js" */

const SHORTEST_PAUSE = 1_000;
const EVERY = 20_000;

const list = byId("lobby-tables");
const news = byId("lobby-news");
let lastFetch = 0;
let timer = 0;
let isFetching = false;
let isWanted = false;

/** Fetches soon: at most once a second, however often it is asked for. */
function refresh() {
  isWanted = true;
  if (timer || isFetching || document.hidden) return;
  timer = setTimeout(fetchList, Math.max(0, lastFetch + SHORTEST_PAUSE - Date.now()));
}

async function fetchList() {
  timer = 0;
  isWanted = false;
  isFetching = true;
  lastFetch = Date.now();
  try {
    const answer = await fetch(list.dataset.source ?? "", {
      headers: { "X-Requested-With": "fetch" },
    });
    const html = answer.ok && !answer.redirected ? await answer.text() : "";
    if (html) afterRelease(() => replace(html));
  } catch {
    // The line is away; the socket's return or the next round of the clock fetches again.
  } finally {
    isFetching = false;
    if (isWanted) refresh();
  }
}

/** Puts the new list in, and the focus back where it was. @param {string} html */
function replace(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const fresh = [...parsed.body.children];
  noteViewer(parsed);
  keepPlaces(parsed);
  const old = document.importNode(list, true);
  const next = document.importNode(list, false);
  next.append(...fresh.map((node) => node.cloneNode(true)));
  for (const copy of [old, next])
    copy.querySelectorAll("[name=csrfmiddlewaretoken]").forEach((input) => input.remove());
  if (collapse(old) === collapse(next)) return;
  const active = list.contains(document.activeElement) ? document.activeElement : null;
  const focused = active?.id;
  const tableOfFocus = active?.closest("li[id]")?.id;
  list.replaceChildren(...fresh);
  const again =
    focused
    && (document.getElementById(focused) ?? document.getElementById(`${tableOfFocus}-link`));
  if (again) again.focus({ preventScroll: true });
  setText(news, "");
  setText(news, gettext("The list of tables has changed."));
}

/**
 * Says so when the list is no longer that of the user whose page this is.
 * @param {Document} parsed
 */
function noteViewer(parsed) {
  const [now, before] = [parsed, document].map((page) =>
    viewerOf(page.getElementById("take-seat")),
  );
  if (before && now === "") byId("logged-out").hidden = false;
}

/** @param {HTMLElement|null} form */
function viewerOf(form) {
  return form?.dataset.viewer;
}

/**
 * Gives the new list the order and the form of the old one, so that nothing moves: new tables come
 * last, and a line stays a line until the page is loaded again.
 * @param {Document} parsed
 */
function keepPlaces(parsed) {
  const next = parsed.querySelector("ul.tables");
  if (!next) return;
  for (const { id, classList } of [...list.querySelectorAll("li.table-card")].reverse()) {
    const card = parsed.getElementById(id);
    if (!card) continue;
    card.classList.toggle("is-compact", classList.contains("is-compact"));
    next.prepend(card);
  }
}

/** @param {Element} node */
function collapse(node) {
  const texts = [...node.children].map((child) => child.outerHTML);
  return texts.join("").replace(/\s+/g, " ").replaceAll("> <", "><");
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
/** @type {Handlers<"lobby_changed"|"house_news">} */
const handlers = {
  lobby_changed: refresh,
  house_news({ now, house }) {
    ahead = now - Date.now();
    announcements.house(house);
  },
};

connect(list.dataset.socket ?? "", {
  onMessage(message) {
    const handle = /** @type {((frame: Wire.Outgoing) => void)|undefined} */ (handlers[message.t]);
    handle?.(message);
  },
  onOpen: refresh,
});
setInterval(refresh, EVERY);
document.addEventListener("visibilitychange", refresh);
