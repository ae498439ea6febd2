/** The invite: a link to send, a code to read aloud, and a new one in the place of an old one. */
import { copyText } from "../lib/clipboard.js";
import { wireDialog } from "../lib/dialogs.js";
import { byId, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

/**
 * @import { Ask } from "../lib/dialogs.js"
 * @import { Table } from "../model/table_model.js"
 */

const WORDS = {
  isPublic: gettext("Anyone with the link joins this table, and gets a seat if one is free."),
  isPrivate: gettext("This table is private: only people with the link or the code can join."),
  isLocked: gettext(
    "The table is locked. Your friends can watch, and sit down once you unlock it.",
  ),
  renew: {
    title: gettext("Create a new link?"),
    text: gettext(
      "The old link and code stop working. Seated players stay; everyone else needs the new link.",
    ),
    yes: gettext("Create a new link"),
  },
  renewed: gettext("New link created. The old one no longer works."),
};

/** "K7QM9TXD" or "K7QM-9TXD" → "K7QM-9TXD". @param {string} code */
export function formatCode(code) {
  const plain = code.replace(/-/g, "");
  return `${plain.slice(0, 4)}-${plain.slice(4)}`;
}

/** Shows the QR code of an invite. @param {HTMLImageElement} image @param {string|null} code */
export function drawQr(image, code) {
  setAttribute(image, "src", code ? `/join/${code}/qr.svg` : null);
}

/** As one reads it to a friend: sign by sign. @param {string} code */
function spellCode(code) {
  const signs = [...formatCode(code)].map((sign) => (sign === "-" ? gettext("dash") : sign));
  return gettext("Code: %(signs)s", { signs: signs.join(", ") });
}

/**
 * @param {{renew: () => void, sure: Ask, name: string}} options
 */
export function createInvite({ renew, sure, name }) {
  const dialog = byId("invite-dialog", HTMLDialogElement);
  const opener = byId("invite-open");
  const link = byId("invite-link", HTMLInputElement);
  const aloneLink = byId("alone-link", HTMLInputElement);
  const output = byId("invite-done");
  /** @type {string|null} */
  let lastCode = null;
  let hasAsked = false;
  let hasPlayed = false;
  let mustWait = false;

  wireDialog(dialog, opener, () => {
    setText(output, "");
    refuse("");
  });
  for (const field of [link, aloneLink]) field.addEventListener("focus", () => field.select());
  byId("invite-copy").addEventListener("click", () => copyText(link, output));
  byId("alone-copy").addEventListener("click", () => copyText(aloneLink, byId("alone-done")));
  const share = byId("invite-share");
  share.hidden = !navigator.share;
  share.addEventListener("click", () =>
    navigator.share({ title: name, url: link.value }).catch(() => {}),
  );
  byId("invite-renew").addEventListener("click", async () => {
    if (mustWait || !(await sure(WORDS.renew))) return;
    hasAsked = true;
    renew();
  });

  /** @param {string} text */
  function refuse(text) {
    setText(byId("invite-refusal"), text);
    if (text) hasAsked = false;
  }

  /** @param {string|null} code */
  function drawCode(code) {
    if (code === lastCode) return;
    if (lastCode && hasAsked) setText(output, WORDS.renewed);
    hasAsked = false;
    lastCode = code;
    drawQr(byId("invite-qr", HTMLImageElement), code);
    link.value = aloneLink.value = code ? `${link.dataset.site}/join/${code}/` : "";
    setText(byId("invite-code"), code ? formatCode(code) : "");
    setAttribute(byId("invite-code"), "aria-label", code ? spellCode(code) : null);
  }

  /** Whether the host waits here for the first friend. @param {Table} table @param {string|null} you */
  function isAlone({ seats, watchers, maker, phase }, you) {
    hasPlayed ||= phase === "playing";
    if (hasPlayed || !you || maker !== you || seats.length < 2) return false;
    const others = seats.filter(({ player }) => player !== null && player !== you);
    const isWatching = !seats.some(({ player }) => player === you);
    return !others.length && watchers - Number(isWatching) <= 0;
  }

  return {
    refuse,
    /** @param {Table} table @param {Wire.You} you @param {{isWaiting: boolean, isClosed: boolean}} state */
    draw(table, you, { isWaiting, isClosed }) {
      mustWait = isWaiting;
      drawCode(you.invite);
      opener.hidden = !you.invite || isClosed;
      if (opener.hidden && dialog.open) dialog.close();
      setText(
        byId("invite-who"),
        table.locked ? WORDS.isLocked : table.private ? WORDS.isPrivate : WORDS.isPublic,
      );
      byId("invite-renew").hidden = !you.runs;
      setAttribute(byId("invite-renew"), "aria-disabled", isWaiting ? "true" : null);
      byId("alone").hidden = opener.hidden || !isAlone(table, you.player);
    },
  };
}
