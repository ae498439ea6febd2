/** A desktop notification when the table waits for me and its page is hidden. */
import { gettext } from "../lib/i18n.js";

const WORDS = {
  none: gettext("This browser can't show notifications."),
  denied: gettext(
    "Your browser blocks notifications from this site. You can allow them in its site settings.",
  ),
  unanswered: gettext(
    "Your browser hasn't decided about notifications. Turn this on again and choose “Allow”.",
  ),
};

/** @typedef {ReturnType<typeof createDesktopNotifications>} Notices */

/** @param {{title: string, icon: string, isWanted: () => boolean}} options */
export function createDesktopNotifications({ title, icon, isWanted }) {
  /** @type {Notification|null} */
  let notification = null;

  function close() {
    notification?.close();
    notification = null;
  }

  document.addEventListener("visibilitychange", () => document.hidden || close());

  return {
    /** Asks the browser if need be. Why there can be none, in words; "" when there can. */
    async allow() {
      if (!("Notification" in window) || !window.isSecureContext) return WORDS.none;
      if (Notification.permission === "default") await Notification.requestPermission();
      if (Notification.permission === "granted") return "";
      return Notification.permission === "denied" ? WORDS.denied : WORDS.unanswered;
    },
    /** Why a notice that is wanted would not be shown; "" when it would. */
    get hindrance() {
      if (!isWanted()) return "";
      if (!("Notification" in window)) return WORDS.none;
      return Notification.permission === "denied" ? WORDS.denied : "";
    },
    /** @param {string} text */
    show(text) {
      if (
        !isWanted()
        || !document.hidden
        || !("Notification" in window)
        || Notification.permission !== "granted"
      )
        return;
      close();
      try {
        notification = new Notification(title, { body: text, icon, tag: title });
      } catch {
        return; // Phones show them from a service worker only.
      }
      notification.onclick = () => {
        window.focus();
        close();
      };
    },
    close,
  };
}
