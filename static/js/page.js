/** Pages without another script: the time zone, forms, and the buttons of password fields. */
import { wirePasswordFields } from "./lib/password_fields.js";
import { startPage } from "./net/start_page.js";
import { wireBell } from "./social/bell.js";

startPage();
wireBell();
wirePasswordFields();
