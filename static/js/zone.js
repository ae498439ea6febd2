/** Pages without another script: the time zone. */
import { storeZone } from "./lib/zone.js";

storeZone();
