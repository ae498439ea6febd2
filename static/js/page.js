/** Pages without another script: the time zone, forms, and the buttons of password fields. */
import { ignoreDoubleSubmit } from "./lib/double_submit.js";
import { wirePasswordFields } from "./lib/password_fields.js";
import { storeZone } from "./lib/zone.js";
import { registerServiceWorker } from "./net/register_worker.js";
import { wireBell } from "./social/bell.js";

storeZone();
ignoreDoubleSubmit();
registerServiceWorker();
wireBell();
wirePasswordFields();
