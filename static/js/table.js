/** The page of a table: connects feed, playback, board, controls and clock. */

import { startClockTick } from "./board/away_countdown.js";
import { createBoard } from "./board/board.js";
import { createPlayback } from "./board/playback.js";
import { createControls } from "./controls/controls.js";
import { createClientSeed } from "./fairness/client_seed.js";
import { createAnnouncer } from "./hud/announcer.js";
import { createCountdown } from "./hud/countdown.js";
import { createHud } from "./hud/hud.js";
import { wireLeave, wirePanels } from "./hud/panels.js";
import { createConfirmDialog } from "./lib/dialogs.js";
import { byId, readJson, wantsStillness } from "./lib/dom.js";
import { gettext } from "./lib/i18n.js";
import { isAsked, isAskedAgain, readTable, seatOf } from "./model/table_model.js";
import { createCommands } from "./net/command_queue.js";
import { openTableFeed } from "./net/table_feed.js";
import { createHouseNews } from "./notices/announcements.js";
import { createReminder } from "./notices/playtime_reminder.js";
import { soundOf } from "./notices/sound.js";
import { wirePersonalSettings } from "./settings/personal_settings.js";
import { createSocialPanel } from "./social/social_panel.js";
import { settledNet } from "./text/outcomes.js";

/**
 * @import { Table } from "./model/table_model.js"
 * @import { Command } from "./net/command_queue.js"
 */

/** @type {Wire.TableConfig} */
const config = readJson("table-config");
const { rules } = config;
const own = `${config.id}/${config.you}`;
let you = config.you;
let balance = config.snapshot.you.balance;
/** @type {{table: Table, goal: Table, isStepping: boolean}} */
let drawn;
let isConnected = true;

const announcer = createAnnouncer({ rules });
const board = createBoard(rules);
const clientSeed = createClientSeed(config);
const personalSettings = wirePersonalSettings({
  rules,
  announcer,
  run: (command, key) => (command === "chat" ? socialPanel.write() : controls.run(command, key)),
  skip: () => playback.finish(),
});
const { sound } = personalSettings;

const clock = createCountdown({
  felt: byId("felt"),
  bar: byId("clock-bar"),
  seconds: byId("clock-seconds"),
  onHurry: () =>
    drawn
    && (isAsked(drawn.table, you) || isAskedAgain(drawn.table, you, rules))
    && announcer.call(gettext("Ten seconds left.")),
});
const playback = createPlayback({
  draw,
  tell(event, table, goal, next) {
    announcer.tell(event, table, { you, round: goal.round, next });
    board.hear(event);
    hud.hear(event, seatOf(table, you));
    sound.make(soundOf(event, settledNet(event, seatOf(table, you), rules)));
  },
  isStill: wantsStillness,
  isSeen: () => !document.hidden,
});
/** @param {boolean} isSlow */
const onSlow = (isSlow) =>
  isConnected && announcer.connection(isSlow ? gettext("Waiting for the server…") : "");
const commands = createCommands({
  key: `commands/${config.snapshot.epoch}/${own}`,
  send: (message) => feed.send(message),
  onSlow,
  onDead: (silence) => feed.drop(silence),
});
const leave = wireLeave({
  hasHandInPlay: () =>
    Boolean(mySeat()?.hands.some((hand) => !hand.outcome)) && drawn.goal.phase === "playing",
  leave: () => send({ t: "leave" }),
});
const houseNews = createHouseNews({ now: clock.now, onHold: () => drawn && redraw() });
const hud = createHud({
  rules,
  announcer,
  clock,
  leave,
  houseNews,
  ...personalSettings,
  controls: () => controls,
});
const controls = createControls(byId("controls"), {
  rules,
  key: own,
  lastStake: hud.lastStake,
  decide: (action) => send({ t: action, turn: drawn.goal.turn }),
  bet: (stake) =>
    send(...clientSeed.bet({ t: "bet", turn: drawn.goal.turn, stake }, drawn.goal, mySeat())),
  takeBack: () => send({ t: "take_back", turn: drawn.goal.turn }),
  leave: () => send({ t: "leave" }),
  sure: createConfirmDialog(),
  isConnected: () => isConnected,
  note: announcer.note,
});
wirePanels();

const feed = openTableFeed(config.socket, config.snapshot, {
  onTime: clock.tellTime,
  onSnapshot(table, viewer, isNews, rest) {
    socialPanel.snapshot(table, viewer, rest.chat);
    houseNews.all(rest);
    ({ player: you, balance } = viewer);
    clientSeed.look(table, you, rest.epoch);
    if (isNews) playback.jump(table);
    rest.isRestored ? commands.forget() : commands.resend();
    redraw();
  },
  onChange(events, table) {
    socialPanel.change(events, table);
    playback.finish();
    if (table.round !== null && table.round !== drawn.goal.round) announcer.openRound(table.round);
    const seat = mySeat()?.seat;
    clientSeed.hear(events, drawn.goal, table, you);
    if (seat && events.some((event) => event.type === "clock_ran_out" && event.seat === seat))
      controls.missed();
    hud.tellNews(events, you);
    playback.play(events, table);
  },
  onAnswer(id, seq, refusal) {
    if (socialPanel.answered(id, seq, refusal)) return;
    commands.answered(id, seq);
    if (!refusal) announcer.complain("");
    else if (refusal.code !== "stale_turn") announcer.complain(clientSeed.refusal(refusal));
    redraw();
  },
  onWallet(amount) {
    balance = amount;
    redraw();
  },
  onAway(why = gettext("Connection lost. Reconnecting…")) {
    isConnected = false;
    announcer.connection(why);
  },
  onBack() {
    isConnected = true;
    announcer.connection("");
  },
  onSaid: (said) => socialPanel.said(said),
  onUnsaid: (unsaid) => socialPanel.unsaid(unsaid),
  onWatching: (watching) => socialPanel.watching(watching),
  onHouse: houseNews.house,
  onAnnounced: houseNews.table,
  onReminder: createReminder({ table: config.id, rules }).show,
  onGone: () => socialPanel.gone(),
});
const socialPanel = createSocialPanel({
  config,
  table: readTable(config.snapshot.table),
  send: feed.send,
  resync: feed.resync,
  seq: () => feed.seq,
  onOld: () => controls.changed(),
});

/** Sends commands. What is still being shown is shown at once. @param {...Command} sent */
function send(...sent) {
  announcer.complain("");
  playback.finish();
  sent.forEach(commands.give);
  redraw();
}

/** @param {number} seat */
function sit(seat) {
  if (you === null) location.assign(config.login_url);
  else if (!commands.isWaiting(feed.seq)) {
    send({ t: "sit", seat, commitment: clientSeed.commitment(seat) });
    byId("console").focus({ preventScroll: true }); // The button that was pressed goes away.
  }
}

function mySeat() {
  return drawn ? seatOf(drawn.goal, you) : undefined;
}

/**
 * Draws the table of this moment; `goal` is the table at the end of the playback.
 * @param {Table} table @param {{isStepping: boolean, quiet: boolean, goal: Table}} how
 */
function draw(table, { isStepping, quiet, goal }) {
  const staysMine = isStepping && isAsked(drawn?.table, you) && isAsked(goal, you);
  if (staysMine) table.asked = goal.asked;
  drawn = { table, goal, isStepping };
  const waiting = commands.isWaiting(feed?.seq ?? 0);
  board.draw(table, {
    you,
    rules,
    quiet,
    isWaiting: isStepping || waiting,
    now: clock.now,
    onSit: sit,
  });
  hud.draw({ ...drawn, you, balance, waiting });
  clientSeed.draw(goal, seatOf(goal, you));
}

const redraw = () => draw(drawn.table, { ...drawn, quiet: true });

startClockTick(
  () => drawn.table,
  redraw,
  () => hud.figures({ ...drawn, you }),
);

clock.tellTime(config.snapshot.now);
houseNews.all(config.snapshot);
const first = readTable(config.snapshot.table);
playback.jump(first);
clientSeed.look(first, you);
send(...clientSeed.atLoad(first, you));
