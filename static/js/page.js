/** Pages without another script: the time zone, and the buttons of password fields. */
import { wirePasswordFields } from "./lib/password_fields.js";
import { storeZone } from "./lib/zone.js";
import { registerServiceWorker } from "./net/register_worker.js";

storeZone();
registerServiceWorker();
wirePasswordFields();
