/** The bell in the header: the number of new notices, and each one as it comes. */
import { byId, el, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { connect } from "../net/reconnecting_socket.js";

const SHOWN_FOR = 15_000;

/** @type {Record<string, (names: {name: string|null, table: string|null}) => string>} */
const WORDS = {
  asked: (names) => gettext("%(name)s would like to be friends.", names),
  accepted: (names) => gettext("%(name)s and you are friends now.", names),
  invited: (names) => gettext("%(name)s invites you to %(table)s.", names),
  opened: (names) => gettext("%(name)s has opened the table %(table)s.", names),
  answered: (names) =>
    names.table
      ? gettext("An operator has answered your report about a round at %(table)s.", names)
      : gettext("An operator has answered your report."),
  voided: (names) => gettext("A round that you played at %(table)s is now void.", names),
  upheld: (names) => gettext("The round at %(table)s that you reported is not voided.", names),
};

/**
 * @typedef {(noticed: Wire.Noticed) => void} OnNoticed
 * @param {{onNotice?: () => void}} [options] @returns {OnNoticed}
 */
export function createBell({ onNotice } = {}) {
  if (!document.getElementById("bell")) return () => {};
  const news = byId("bell-news");
  let timer = 0;

  /** @param {Wire.PublicNotice} notice */
  function show({ kind, player, table, url }) {
    const words = WORDS[kind]?.({ name: player, table });
    if (!words) return;
    news.replaceChildren(
      el("a", { href: url }, words),
      el(
        "button",
        { type: "button", class: "button is-quiet is-small", onclick: hide },
        gettext("Close"),
      ),
    );
    hideLater();
  }

  function hideLater() {
    clearTimeout(timer);
    timer = setTimeout(
      () => (news.matches(":hover, :focus-within") ? hideLater() : hide()),
      SHOWN_FOR,
    );
  }

  function hide() {
    clearTimeout(timer);
    news.replaceChildren();
  }

  return ({ count, notice }) => {
    setText(byId("bell-count"), String(count));
    byId("bell-unread").hidden = !count;
    if (notice) show(notice);
    onNotice?.();
  };
}

/**
 * For pages without a socket of their own. What happens while the line is away, the next connection tells.
 * @param {{onNotice?: () => void}} [options]
 */
export function wireBell(options) {
  const path = document.getElementById("bell")?.dataset.socket;
  if (!path) return;
  const noticed = createBell(options);
  connect(path, {
    onMessage: (message) => message.t === "noticed" && noticed(message),
    onEnded() {}, // The page may have a form that somebody fills in.
  });
}
