/** A card after leaving the seat: what the session at this table came to. It takes no focus. */
import { find } from "../lib/dom.js";
import { findSeat } from "../model/table_model.js";

/** @import { Table } from "../model/table_model.js" */

/** Within some seconds the last rounds are graded too. */
const LATER = 3_000;
const MOST_REQUESTS = 6;

/** @returns {{draw: (table: Table, you: string|null, isStepping: boolean) => void}} */
export function createSessionCard() {
  const card = document.getElementById("session-card"); // on pages with a login
  if (!card) return { draw() {} };
  const words = find(card, "[role='status']");
  /** When I sat down, in milliseconds; 0 without a seat. */
  let since = 0;
  /** The number of the session whose card is wanted: an answer for an earlier one comes too late. */
  let session = 0;

  function close() {
    session += 1;
    card?.toggleAttribute("hidden", true);
    words.replaceChildren();
  }
  find(card, "button").addEventListener("click", close);
  card.addEventListener("keydown", ({ key }) => key === "Escape" && close());

  /** @param {number} began @param {number} of the session @param {number} requests that remain */
  async function ask(began, of, requests) {
    const html = await fetchCard(`${card?.dataset.source}?since=${began}`);
    if (of !== session || !card) return;
    const body = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
    if (!body) return;
    card.hidden = false;
    // The live region is visible before its text, so that it is announced.
    requestAnimationFrame(() => of === session && words.replaceChildren(body));
    if (body.hasAttribute("data-is-waiting") && requests > 1)
      setTimeout(() => of === session && ask(began, of, requests - 1), LATER);
  }

  return {
    draw(table, you, isStepping) {
      const mine = findSeat(table, you);
      if (mine) {
        if (!since) close();
        since = mine.since ?? 0;
      } else if (since && !isStepping) {
        session += 1;
        ask(since, session, MOST_REQUESTS);
        since = 0;
      }
    },
  };
}

/** @param {string} url @returns {Promise<string>} "" without rounds, or without a line */
async function fetchCard(url) {
  try {
    const answer = await fetch(url, { headers: { "X-Requested-With": "fetch" } });
    return answer.ok && !answer.redirected ? await answer.text() : "";
  } catch {
    return "";
  }
}
