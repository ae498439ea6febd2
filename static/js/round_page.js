/** The page of a round: its steps, its links, and the check of its shoe. */

import { wireProof } from "./fairness/check_page.js";
import { byId } from "./lib/dom.js";
import { startPage } from "./net/start_page.js";
import { createReplay } from "./round/replay.js";
import { wireShare } from "./round/share_links.js";
import { wireBell } from "./social/bell.js";

startPage();
wireBell();

if (document.getElementById("replay-controls")) createReplay(byId("replay"));
wireShare(document);
if (document.getElementById("proof")) wireProof();
