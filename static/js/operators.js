/** Every operators' page: what all pages have, and tables that a phone shows row by row. */
import { labelCells } from "./lib/labelled_cells.js";
import { wirePasswordFields } from "./lib/password_fields.js";
import { startPage } from "./net/start_page.js";

startPage();
wirePasswordFields();
for (const table of document.querySelectorAll("table")) labelCells(table);
