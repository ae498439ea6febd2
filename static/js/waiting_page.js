/** The page of an account that waits for approval. It is updated automatically after the decision. */

import { byId } from "./lib/dom.js";
import { startPage } from "./net/start_page.js";

const ASK_AGAIN_MS = 5000;

startPage();
const { approval } = byId("approval").dataset;
globalThis.setTimeout(askAgain, ASK_AGAIN_MS);

/**
 * Ask whether the page still leads here, and says the same: `redirect: "manual"` leaves the message to
 * the next page.
 */
async function askAgain() {
  try {
    const answer = await fetch(location.pathname, { redirect: "manual" });
    const isSame =
      answer.type !== "opaqueredirect"
      && (!answer.ok || (await answer.text()).includes(`data-approval="${approval}"`));
    if (!isSame) return location.assign(location.pathname);
  } catch {
    // The connection is away: ask again later.
  }
  globalThis.setTimeout(askAgain, ASK_AGAIN_MS);
}
