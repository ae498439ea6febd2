/** Keeps the number of waiting alerts current, in the header and in the title of the tab. */

const EVERY = 30_000;
const LONGEST = 300_000;
const IN_TITLE = /^(.*?: )?\(\d+\) /;

const badge = find("alert-badge");
const number = find("alert-count");
let wait = EVERY;
let timer = 0;

/** The element with this id. Throws if there is none. @param {string} id */
function find(id) {
  const node = document.getElementById(id);
  if (node) return node;
  throw new Error(`No element with the id ${id}.`);
}

/** @param {number} count */
function show(count) {
  if (number.textContent !== String(count)) number.textContent = String(count);
  badge.hidden = !count;
  const title = document.title.replace(IN_TITLE, "$1");
  document.title = count ? `(${count}) ${title}` : title;
}

async function look() {
  clearTimeout(timer);
  try {
    const answer = await fetch(badge.dataset.source ?? "", {
      headers: { Accept: "application/json" },
      redirect: "manual",
    });
    if (answer.type === "opaqueredirect" || answer.status === 403 || answer.status === 404) return;
    if (answer.ok) show((await answer.json()).count);
    wait = answer.ok ? EVERY : Math.min(wait * 2, LONGEST);
  } catch {
    wait = Math.min(wait * 2, LONGEST);
  }
  lookLater();
}

/** Some tabs are opened by the same restart of a browser: they do not all ask at once. */
function lookLater() {
  timer = setTimeout(look, wait * (0.9 + 0.2 * Math.random()));
}

document.addEventListener("visibilitychange", () => document.hidden || look());
window.addEventListener("pageshow", (event) => event.persisted && look());
lookLater();
