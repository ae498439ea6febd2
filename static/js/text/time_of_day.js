/** A time of day. */
import { locale } from "../lib/i18n.js";

/** The time on this reader's clock, as on the pages: 14:05, or 2:05 PM if the account says so. @param {number} at */
export function formatTime(at) {
  const { zone, clock } = document.documentElement.dataset;
  return new Date(at).toLocaleTimeString(clock ? "en-US" : locale(), {
    hour: clock ? "numeric" : "2-digit",
    hourCycle: clock ? "h12" : "h23",
    minute: "2-digit",
    ...(zone && { timeZone: zone }),
  });
}
