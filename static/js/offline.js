/** The page that the service worker shows without a connection: it tries again by itself. */
import { byId } from "./lib/dom.js";

/** With a bit of chance, so that not all pages come back in the same moment. */
const getPause = () => 3_000 + Math.random() * 3_000;

const { own = "", home = "/", probe = "" } = byId("offline").dataset;

/** Opens what was asked for. Somebody at the address of this page itself is led to the lobby. */
function open() {
  if (location.pathname === own) location.replace(home);
  else location.reload();
}

async function look() {
  try {
    const answer = await fetch(probe, { cache: "no-store" });
    if (answer.ok) return open();
  } catch {
    // There is still none.
  }
  setTimeout(look, getPause());
}

byId("offline-again").addEventListener("click", open);
window.addEventListener("online", open);
setTimeout(look, getPause());
