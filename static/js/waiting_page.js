/** The page of an account that waits for approval: it goes on by itself when that is done. */

import { startPage } from "./net/start_page.js";

const ASK_AGAIN_MS = 5000;

startPage();
globalThis.setTimeout(askAgain, ASK_AGAIN_MS);

/** Ask whether the page still leads here: `redirect: "manual"` leaves the message to the next page. */
async function askAgain() {
  try {
    const answer = await fetch(location.pathname, { redirect: "manual" });
    if (answer.type === "opaqueredirect") return location.assign(location.pathname);
  } catch {
    // The connection is away: ask again later.
  }
  globalThis.setTimeout(askAgain, ASK_AGAIN_MS);
}
