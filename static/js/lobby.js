/** Keeps the list of tables in the lobby current. */
import { byId, setText } from "./lib/dom.js";
import { gettext } from "./lib/i18n.js";
import { connect } from "./net/reconnecting_socket.js";
import { createAnnouncements } from "./notices/announcements.js";

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

/** @param {Element} node */
function collapse(node) {
  return [...node.children].map((child) => child.outerHTML.replace(/\s+/g, " ")).join("");
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
