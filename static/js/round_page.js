/** The page of a round: its steps, its links, and the check of its shoe. */
import { byId } from "./dom.js";
import { createReplay } from "./replay.js";
import { wireShare } from "./share.js";
import { wireProof } from "./verify_page.js";

if (document.getElementById("replay-controls")) createReplay(byId("replay"));
wireShare(document);
if (document.getElementById("proof")) wireProof();
