/** Every operators' page: what all pages have, and tables that a phone shows row by row. */
import { ignoreDoubleSubmit } from "./lib/double_submit.js";
import { labelCells } from "./lib/labelled_cells.js";
import { wirePasswordFields } from "./lib/password_fields.js";
import { storeZone } from "./lib/zone.js";
import { registerServiceWorker } from "./net/register_worker.js";

storeZone();
ignoreDoubleSubmit();
registerServiceWorker();
wirePasswordFields();
for (const table of document.querySelectorAll("table")) labelCells(table);
