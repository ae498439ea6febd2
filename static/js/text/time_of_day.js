/** A time of day. */
import { locale } from "../lib/i18n.js";

/** The time on this reader's clock: 14:05. @param {number} at */
export function formatTime(at) {
  return new Date(at).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" });
}
