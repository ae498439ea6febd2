/** The frames of one table in order. Missing ones are requested again. */
import { gettext } from "../lib/i18n.js";
import { readTable } from "../model/table_model.js";
import { connect } from "./reconnecting_socket.js";

const SILENCE = 12_000;
/** So long a change waits for the one before it, which another process may be telling, before that counts as lost. */
const CROSSING = 250;
const TOO_MANY_PAGES = gettext(
  "You have more than five table pages open, so this one has stopped updating. Reload it to play here.",
);

/**
 * @import { Table } from "../model/table_model.js"
 * @typedef {Pick<Wire.Snapshot, "chat"|"house"|"announcement"|"epoch"> & {isRestored: boolean}} Rest
 */

/**
 * What a page does with each type of frame that its socket sends.
 *
 * @template {Wire.Outgoing["t"]} Type
 * @typedef {{[T in Type]: (frame: Extract<Wire.Outgoing, {t: T}>) => void}
 *   & {[T in Exclude<Wire.Outgoing["t"], Type>]?: undefined}} Handlers
 */

/**
 * @param {string} path
 * @param {Wire.Snapshot} drawn what the page was drawn from
 * @param {{
 *   onSnapshot: (table: Table, you: Wire.You, isNews: boolean, rest: Rest) => void,
 *   onChange: (events: Wire.Event[], table: Table) => void,
 *   onTime: (now: number) => void,
 *   onAnswer: (id: string|null, seq: number, refusal: Pick<Wire.Err, "code"|"message">|null) => void,
 *   onWallet: (balance: number) => void,
 *   onSaid: (said: Wire.Said) => void,
 *   onUnsaid: (unsaid: Wire.Unsaid) => void,
 *   onWatching: (watching: Wire.Watching) => void,
 *   onReminder: (reminder: Wire.Reminder) => void,
 *   onHouse: (house: Wire.PublicHouse) => void,
 *   onAnnounced: (announcement: Wire.Announcement) => void,
 *   onAway: (why?: string) => void,
 *   onBack: () => void,
 *   onGone: () => void,
 * }} on
 */
export function openTableFeed(path, drawn, on) {
  let { epoch, seq } = drawn;
  let wallet = { balance: drawn.you.balance, seq: drawn.you.balance_seq };
  let isAsking = false;
  let isBehind = false;
  /** Changes that came before the one before them, by their seqs. @type {Map<number, Wire.Changed>} */
  const early = new Map();

  /** @type {Handlers<Exclude<Wire.Outgoing["t"], "lobby_changed">>} */
  const handlers = {
    snapshot({ epoch: history, seq: at, now, table, you, ...rest }) {
      on.onTime(now);
      isAsking = false;
      // From a backup: what was heard since it was made has never happened, however high its seq.
      const isRestored = history !== epoch;
      // Read before a change that another process has told already; twice, and it is the truth.
      isBehind = at < seq && !isRestored && !isBehind;
      if (isBehind) {
        resync();
        return;
      }
      const isNews = at !== seq || isRestored;
      if (isRestored) early.clear();
      epoch = history;
      seq = at;
      hearWallet({ balance: you.balance, seq: you.balance_seq }, isRestored);
      on.onSnapshot(readTable(table), { ...you, balance: wallet.balance }, isNews, {
        ...rest,
        epoch,
        isRestored,
      });
      on.onBack();
      goOn();
    },
    changed(change) {
      on.onTime(change.now);
      if (change.seq <= seq) return;
      early.set(change.seq, change);
      goOn();
      if (early.size) setTimeout(() => early.size && resync(), CROSSING);
    },
    heartbeat({ epoch: history, seq: at, now }) {
      on.onTime(now);
      if (history !== epoch) askAnew();
      else if (at > seq) setTimeout(() => at > seq && askAnew(), CROSSING);
    },
    done: ({ id, seq: at }) => on.onAnswer(id, at, null),
    err: ({ id, code, message }) => on.onAnswer(id, 0, { code, message }),
    wallet(told) {
      if (hearWallet(told)) on.onWallet(told.balance);
    },
    said: on.onSaid,
    unsaid: on.onUnsaid,
    watching: on.onWatching,
    reminder: on.onReminder,
    announced: ({ announcement }) => on.onAnnounced(announcement),
    house_news({ now, house }) {
      on.onTime(now);
      on.onHouse(house);
    },
  };

  /** Draws what has come of the changes that are next. */
  function goOn() {
    for (const at of early.keys()) if (at <= seq) early.delete(at);
    for (let next = early.get(seq + 1); next; next = early.get(seq + 1)) {
      early.delete(next.seq);
      seq = next.seq;
      on.onChange(next.events, readTable(next.table));
    }
  }

  /**
   * Several processes may tell of the wallet, and what one says may be heard after what another said later.
   * @param {{balance: number|null, seq: number}} told @param {boolean} [isRestored]
   */
  function hearWallet(told, isRestored = false) {
    const isLater = told.seq >= wallet.seq || isRestored;
    if (isLater) wallet = told;
    return isLater;
  }

  function resync() {
    if (isAsking) return;
    isAsking = socket.send({ t: "resync" });
  }

  /** However long ago it was asked: that may have been lost, or answered too early. */
  function askAnew() {
    isAsking = false;
    resync();
  }

  const socket = connect(path, {
    silence: SILENCE,
    onOpen() {
      isAsking = false;
    },
    onMessage(message) {
      const isKnown = Object.hasOwn(handlers, message.t);
      const handle = /** @type {(frame: Wire.Outgoing) => void} */ (handlers[message.t]);
      if (isKnown) handle(message);
      else console.error("Unknown message", message);
    },
    onAway: on.onAway,
    onGone: on.onGone,
    onTooMany: () => on.onAway(TOO_MANY_PAGES),
  });

  return {
    send: socket.send,
    /** Give up a line on which nothing is answered. */
    drop: socket.drop,
    resync,
    /** The last change that was drawn. */
    get seq() {
      return seq;
    },
  };
}
