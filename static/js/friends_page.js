/** Keeps the lists of friends current. */
import { byId } from "./lib/dom.js";
import { startPage } from "./net/start_page.js";
import { wireBell } from "./social/bell.js";

/** Who is here changes without a notice. */
const EVERY = 15_000;
const SOON = 300;

startPage();

const lists = byId("friends");
let timer = 0;

/** Not while somebody is about to press a button of the lists: nothing may move. */
const isInUse = () => lists.contains(document.activeElement) || lists.matches(":active");

async function refresh() {
  schedule(EVERY);
  if (document.hidden || isInUse()) return;
  try {
    const answer = await fetch(lists.dataset.source ?? "", {
      headers: { "X-Requested-With": "fetch" },
    });
    if (!answer.ok || answer.redirected) return;
    const html = await answer.text();
    if (isInUse()) return;
    const parsed = new DOMParser().parseFromString(html, "text/html").body;
    lists.replaceChildren(...parsed.children);
  } catch {
    // The line is away; the next time is soon.
  }
}

/** @param {number} wait */
function schedule(wait) {
  clearTimeout(timer);
  timer = setTimeout(refresh, wait);
}

document.addEventListener("visibilitychange", () => document.hidden || schedule(SOON));
schedule(EVERY);
let isFirst = true;
wireBell({
  onNotice() {
    if (!isFirst) schedule(SOON);
    isFirst = false;
  },
});
