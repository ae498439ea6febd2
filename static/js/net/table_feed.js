/** The frames of one table in order. Missing ones are requested again. */
import { gettext } from "../lib/i18n.js";
import { readTable } from "../model/table_model.js";
import { connect } from "./reconnecting_socket.js";

const SILENCE = 12_000;
/** How long a change waits for the one before it, which may come from another process, before that counts as lost. */
const CROSSING = 250;
const TOO_MANY_PAGES = gettext(
  "You have more than five table pages open, so this one has stopped updating. Reload it to play here.",
);

/**
 * @import { Table } from "../model/table_model.js"
 * @typedef {Pick<Wire.Snapshot, "chat"|"house"|"announcement"|"epoch"|"present"|"missed"> & {isRestored: boolean}} Rest
 */

/**
 * A handler for each type of frame.
 *
 * @template {Wire.Outgoing["t"]} Type
 * @typedef {{[T in Type]: (frame: Extract<Wire.Outgoing, {t: T}>) => void}
 *   & {[T in Exclude<Wire.Outgoing["t"], Type>]?: undefined}} Handlers
 */

/**
 * @param {string} path
 * @param {Wire.Snapshot} drawn the snapshot in the page
 * @param {{
 *   onSnapshot: (table: Table, you: Wire.You, isNews: boolean, rest: Rest) => void,
 *   onChange: (events: Wire.Event[], table: Table) => void,
 *   onTime: (now: number) => void,
 *   onAnswer: (id: string|null, seq: number, refusal: Pick<Wire.Err, "code"|"message">|null) => void,
 *   onWallet: (balance: number) => void,
 *   onSaid: (said: Wire.Said) => void,
 *   onUnsaid: (unsaid: Wire.Unsaid) => void,
 *   onMuted: (muted: Wire.Muted) => void,
 *   onWatching: (watching: Wire.Watching) => void,
 *   onReacted: (reacted: Wire.Reacted) => void,
 *   onNoticed: (noticed: Wire.Noticed) => void,
 *   onReminder: (reminder: Wire.Reminder) => void,
 *   onPlan: (planned: Wire.Planned) => void,
 *   onHint: (hint: Wire.Hint) => void,
 *   onSite: (house: Wire.PublicHouse) => void,
 *   onAnnounced: (announcement: Wire.Announcement|null) => void,
 *   onAway: (why?: string) => void,
 *   onBack: () => void,
 *   onGone: () => void,
 *   onEnded?: () => void,
 * }} on
 */
export function openTableFeed(path, drawn, on) {
  let { epoch, seq } = drawn;
  let wallet = { balance: drawn.you.balance, seq: drawn.you.balance_seq };
  let isAsking = false;
  /** The change at which an older snapshot came, and another one was requested. */
  let behindAt = 0;
  /** Changes that came before the one before them, by their seqs. @type {Map<number, Wire.Changed>} */
  const early = new Map();

  /** @type {Handlers<Exclude<Wire.Outgoing["t"], "lobby_changed"|"lobby_tables">>} */
  const handlers = {
    snapshot({ epoch: history, seq: at, now, table, you, ...rest }) {
      on.onTime(now);
      isAsking = false;
      // The server takes every new connection for one in sight.
      if (document.hidden) tellSight();
      // Restored from a backup: discard later changes, whatever their seq.
      const isRestored = history !== epoch;
      // Read before a change that another process has published. If nothing has changed since the
      // next request, and that snapshot is older too, it is true.
      if (at < seq && !isRestored && behindAt !== seq) {
        behindAt = seq;
        resync();
        return;
      }
      behindAt = 0;
      const isNews = at !== seq || isRestored;
      if (isRestored) early.clear();
      epoch = history;
      seq = at;
      receiveWallet({ balance: you.balance, seq: you.balance_seq }, isRestored);
      on.onSnapshot(readTable(table), { ...you, balance: wallet.balance }, isNews, {
        ...rest,
        epoch,
        isRestored,
      });
      on.onBack();
      continueFrames();
    },
    changed(change) {
      on.onTime(change.now);
      if (change.seq <= seq) return;
      early.set(change.seq, change);
      continueFrames();
      if (early.size) setTimeout(() => early.size && resync(), CROSSING);
    },
    heartbeat({ epoch: history, seq: at, now }) {
      on.onTime(now);
      if (history !== epoch) requestSnapshot();
      else if (at > seq) setTimeout(() => at > seq && requestSnapshot(), CROSSING);
    },
    done: ({ id, seq: at }) => on.onAnswer(id, at, null),
    err: ({ id, code, message }) => on.onAnswer(id, 0, { code, message }),
    wallet(frame) {
      if (receiveWallet(frame)) on.onWallet(frame.balance);
    },
    said: on.onSaid,
    unsaid: on.onUnsaid,
    muted: on.onMuted,
    watching: on.onWatching,
    reacted: on.onReacted,
    noticed: on.onNoticed,
    reminder: on.onReminder,
    planned: on.onPlan,
    hint: on.onHint,
    announced: ({ announcement }) => on.onAnnounced(announcement),
    house_news({ now, house }) {
      on.onTime(now);
      on.onSite(house);
    },
  };

  /** Applies the received changes that are next. */
  function continueFrames() {
    for (const at of early.keys()) if (at <= seq) early.delete(at);
    for (let next = early.get(seq + 1); next; next = early.get(seq + 1)) {
      early.delete(next.seq);
      seq = next.seq;
      on.onChange(next.events, readTable(next.table));
    }
  }

  /**
   * Several processes publish the wallet, so an older balance may arrive after a newer one.
   * @param {{balance: number|null, seq: number}} frame @param {boolean} [isRestored]
   */
  function receiveWallet(frame, isRestored = false) {
    const isLater = frame.seq >= wallet.seq || isRestored;
    if (isLater) wallet = frame;
    return isLater;
  }

  /** Tells whether this page is in sight: a player with such a page is not called elsewhere. */
  function tellSight() {
    socket.send({ t: "sight", on: !document.hidden });
  }

  function resync() {
    if (isAsking) return;
    isAsking = socket.send({ t: "resync", seq });
  }

  /** Requests a snapshot even if one is pending: that may be lost or outdated. */
  function requestSnapshot() {
    isAsking = false;
    resync();
  }

  const socket = connect(() => `${path}&seq=${seq}`, {
    silence: SILENCE,
    onOpen() {
      isAsking = false;
      behindAt = 0;
    },
    onMessage(message) {
      const isKnown = Object.hasOwn(handlers, message.t);
      const handle = /** @type {(frame: Wire.Outgoing) => void} */ (handlers[message.t]);
      if (isKnown) handle(message);
      else console.error("Unknown message", message);
    },
    onAway: on.onAway,
    onGone: on.onGone,
    onEnded: on.onEnded,
    onTooMany: () => on.onAway(TOO_MANY_PAGES),
  });

  document.addEventListener("visibilitychange", tellSight);

  return {
    send: socket.send,
    /** Close a connection without replies. */
    drop: socket.drop,
    resync,
    /** The last change that was drawn. */
    get seq() {
      return seq;
    },
  };
}
