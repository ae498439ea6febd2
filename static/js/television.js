/** A table on a large screen that everybody in the room sees: cards, names, and the way to join. */

import { startClockTick } from "./board/away_countdown.js";
import { createBoard } from "./board/board.js";
import { createPlayback } from "./board/playback.js";
import { showReaction } from "./board/reaction_bubbles.js";
import { createCountdown } from "./hud/countdown.js";
import { getStatus } from "./hud/status_line.js";
import { byId, prefersReducedMotion, readJson, setText } from "./lib/dom.js";
import { gettext } from "./lib/i18n.js";
import { isAwaited, isClosedToNewcomers, isTaken, readTable } from "./model/table_model.js";
import { startPage } from "./net/start_page.js";
import { openTableFeed } from "./net/table_feed.js";
import { drawQr, formatCode } from "./social/invite.js";
import { formatList } from "./text/format.js";
import { formatLead, formatProgress, getMatchStatus } from "./text/match.js";

startPage();

/** @import { Table } from "./model/table_model.js" */

const WORDS = {
  closed: gettext("This table is closed."),
  paused: gettext("The table is paused"),
  bets: gettext("Place your bets"),
  empty: gettext("Take a seat"),
  join: gettext("Scan to join"),
  watch: gettext("Scan to watch"),
  /** @param {string} names */
  waiting: (names) => gettext("Waiting for %(names)s", { names }),
};

/** @type {Wire.TableConfig} */
const config = readJson("table-config");
const { rules } = config;
/** @type {{table: Table, goal: Table, isStepping: boolean}} */
let drawn;
let isClosed = false;

const board = createBoard(rules, { hasShoe: false });
const clock = createCountdown({
  felt: byId("felt"),
  bar: byId("clock-bar"),
  seconds: [byId("clock-seconds")],
  onHurry: () => {},
});
const playback = createPlayback({
  draw,
  onEvent: (event) => board.hear(event),
  isStill: prefersReducedMotion,
  isSeen: () => !document.hidden,
});

const ignore = () => {};
const feed = openTableFeed(config.socket, config.snapshot, {
  onTime: clock.tellTime,
  onSnapshot(table, you, isNews) {
    drawInvite(you.invite);
    if (isNews) playback.showAtOnce(table);
    else redraw();
  },
  onChange(events, table) {
    if (events.some(({ type }) => type === "invite_renewed")) feed.resync();
    playback.play(events, table);
  },
  onAway: (why = "") =>
    setText(byId("connection"), why || gettext("Connection lost. Reconnecting…")),
  onBack: () => setText(byId("connection"), ""),
  onGone() {
    isClosed = true;
    drawInvite(null);
    redraw();
  },
  onEnded: () => location.reload(),
  onAnswer: ignore,
  onWallet: ignore,
  onSaid: ignore,
  onUnsaid: ignore,
  onMuted: ignore,
  onWatching: ignore,
  onReacted: showReaction,
  onNoticed: ignore,
  onReminder: ignore,
  onHint: ignore,
  onPlan: ignore,
  onSite: ignore,
  onAnnounced: ignore,
});

/**
 * Draws the table of this moment; `goal` is the table at the end of the playback. Nobody is "you" here.
 * @param {Table} table @param {{isStepping: boolean, quiet: boolean, goal: Table}} how
 */
function draw(table, { isStepping, quiet, goal }) {
  drawn = { table, goal, isStepping };
  const { now } = clock;
  board.draw(table, {
    you: null,
    rules,
    quiet,
    isWaiting: true,
    isBarred: true,
    now,
    onSit: ignore,
  });
  const match = document.getElementById("tv-match");
  if (match && table.match)
    setText(
      match,
      `${formatProgress(table.match, table.phase)} ${formatLead(table.match, null)}`.trim(),
    );
  setText(byId("status-main"), isClosed ? WORDS.closed : statusText(table, isStepping));
  const canSit = !table.locked && !isClosedToNewcomers(table) && !table.seats.every(isTaken);
  setText(byId("tv-scan"), canSit ? WORDS.join : WORDS.watch);
  clock.show(isStepping || isClosed ? null : goal.deadline, goal.clock);
}

const redraw = () => draw(drawn.table, { ...drawn, quiet: true });

/** @param {Table} table @param {boolean} isStepping */
function statusText(table, isStepping) {
  if (table.phase === "playing") {
    const nobody = { you: null, rules, isStepping, isTouch: false, balance: 0, news: "" };
    return getStatus(table, { ...nobody, isHeld: false, barredUntil: 0, answer: null }).main;
  }
  if (table.paused !== null) return WORDS.paused;
  const ofMatch = getMatchStatus(table, null);
  if (ofMatch) return ofMatch.main;
  if (!table.seats.some(isTaken)) return WORDS.empty;
  const late = table.seats.filter((seat) => isAwaited(table, seat));
  const hasBet = table.seats.some(({ stake }) => stake !== null);
  return hasBet && late.length
    ? WORDS.waiting(formatList(late.map(({ player }) => player ?? "")))
    : WORDS.bets;
}

/** @param {string|null} code */
function drawInvite(code) {
  byId("tv-invite").hidden = !code;
  drawQr(byId("tv-qr", HTMLImageElement), code);
  setText(byId("tv-code"), code ? formatCode(code) : "");
}

startClockTick(() => drawn.table, clock.now, redraw, ignore);
clock.tellTime(config.snapshot.now);
drawInvite(config.snapshot.you.invite);
playback.showAtOnce(readTable(config.snapshot.table));
