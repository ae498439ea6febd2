/** The page of a match: kept current while the match waits or runs. */
import { copyText } from "./lib/clipboard.js";
import { byId, find, setText } from "./lib/dom.js";
import { startPage } from "./net/start_page.js";

startPage();

const PAUSE = 3_000;
const ENDED = ["over", "broken_off"];
const place = byId("match-now");

/** @param {ParentNode} page */
const getState = (page) => find(page, ".match-state", HTMLElement).dataset;

/** What people see. The tokens of forms are others each time. @param {ParentNode} page */
const getText = (page) => [...page.children].map(({ textContent }) => textContent).join();

async function update() {
  if (!document.hidden) await load();
  plan();
}

async function load() {
  try {
    const answer = await fetch(`${place.dataset.source}`, {
      headers: { "X-Requested-With": "fetch" },
    });
    if (!answer.ok || answer.redirected) return;
    draw(new DOMParser().parseFromString(await answer.text(), "text/html").body);
  } catch {
    // Without a line it is tried again.
  }
}

/** @param {HTMLElement} page */
function draw(page) {
  const before = getState(place).state;
  const { state, table } = getState(page);
  if (before === "waiting" && state === "running" && table) location.assign(table);
  // What is in use stays until it is left.
  const isUsed = place.contains(document.activeElement) && state === before;
  if (isUsed) return;
  const isSame = getText(page) === getText(place);
  if (isSame && getState(page).isGrading === getState(place).isGrading) return;
  place.replaceChildren(...page.children);
  setText(byId("match-voice"), byId("match-words").textContent ?? "");
}

function plan() {
  const { state, isGrading } = getState(place);
  if (!ENDED.includes(`${state}`) || isGrading !== undefined) setTimeout(update, PAUSE);
}

place.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.id === "match-copy")
    copyText(byId("match-link", HTMLInputElement), byId("match-copied"));
});
plan();
