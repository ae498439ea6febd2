/** Every operators' page: what all pages have, and tables that a phone shows row by row. */
import { copyText } from "./lib/clipboard.js";
import { byId } from "./lib/dom.js";
import { labelCells } from "./lib/labelled_cells.js";
import { wirePasswordFields } from "./lib/password_fields.js";
import { startPage } from "./net/start_page.js";

startPage();
wirePasswordFields();
document
  .getElementById("copy-link")
  ?.addEventListener("click", () =>
    copyText(byId("new-link-field", HTMLInputElement), byId("copy-link-done")),
  );
for (const table of document.querySelectorAll("table")) labelCells(table);
