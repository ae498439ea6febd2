/** What every page does first: it tells the time zone, sends forms once, and registers the service worker. */
import { ignoreDoubleSubmit } from "../lib/double_submit.js";
import { closeMenusByEscape } from "../lib/menus.js";
import { storeZone } from "../lib/zone.js";
import { registerServiceWorker } from "./register_worker.js";

export function startPage() {
  storeZone();
  ignoreDoubleSubmit();
  closeMenusByEscape();
  registerServiceWorker();
}
