/** The table page: wires the feed, the show, the buttons and the clock together. */

import { startClockTick } from "./board/away_countdown.js";
import { createBoard } from "./board/board.js";
import { createPlayback } from "./board/playback.js";
import { createControls } from "./controls/controls.js";
import { createClientSeed } from "./fairness/client_seed.js";
import { createAnnouncer } from "./hud/announcer.js";
import { createClock } from "./hud/countdown.js";
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
import { createSocialPanel } from "./social/table_company.js";
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

const voice = createAnnouncer({ rules });
const felt = createBoard(rules);
const mix = createClientSeed(config);
const habits = wirePersonalSettings({
  rules,
  voice,
  run: (command, key) => (command === "chat" ? company.write() : controls.run(command, key)),
  skip: () => show.finish(),
});
const { sound } = habits;

const clock = createClock({
  felt: byId("felt"),
  bar: byId("clock-bar"),
  seconds: byId("clock-seconds"),
  onHurry: () =>
    drawn
    && (isAsked(drawn.table, you) || isAskedAgain(drawn.table, you, rules))
    && voice.call(gettext("Ten seconds left.")),
});
const show = createPlayback({
  draw,
  tell(event, table, goal, next) {
    voice.tell(event, table, { you, round: goal.round, next });
    felt.hear(event);
    around.hear(event, seatOf(table, you));
    sound.make(soundOf(event, settledNet(event, seatOf(table, you), rules)));
  },
  isStill: wantsStillness,
  isSeen: () => !document.hidden,
});
/** @param {boolean} isSlow */
const onSlow = (isSlow) =>
  isConnected && voice.connection(isSlow ? gettext("Waiting for an answer of the house…") : "");
const commands = createCommands({
  key: `commands/${config.snapshot.epoch}/${own}`,
  send: (message) => feed.send(message),
  onSlow,
  onDead: (silence) => feed.drop(silence),
});
const leave = wireLeave({
  hasHandInPlay: () =>
    Boolean(mySeat()?.hands.some((hand) => !hand.outcome)) && drawn.goal.phase === "playing",
  leave: () => give({ t: "leave" }),
});
const houseNews = createHouseNews({ now: clock.now, onHold: () => drawn && redraw() });
const around = createHud({
  rules,
  voice,
  clock,
  leave,
  houseNews,
  ...habits,
  controls: () => controls,
});
const controls = createControls(byId("controls"), {
  rules,
  key: own,
  lastStake: around.lastStake,
  decide: (action) => give({ t: action, turn: drawn.goal.turn }),
  bet: (stake) =>
    give(...mix.bet({ t: "bet", turn: drawn.goal.turn, stake }, drawn.goal, mySeat())),
  takeBack: () => give({ t: "take_back", turn: drawn.goal.turn }),
  leave: () => give({ t: "leave" }),
  sure: createConfirmDialog(),
  isConnected: () => isConnected,
  note: voice.note,
});
wirePanels();

const feed = openTableFeed(config.socket, config.snapshot, {
  onTime: clock.tellTime,
  onSnapshot(table, viewer, isNews, rest) {
    company.snapshot(table, viewer, rest.chat);
    houseNews.all(rest);
    ({ player: you, balance } = viewer);
    mix.look(table, you, rest.epoch);
    if (isNews) show.jump(table);
    rest.isRestored ? commands.forget() : commands.resend();
    redraw();
  },
  onChange(events, table) {
    company.change(events, table);
    show.finish();
    if (table.round !== null && table.round !== drawn.goal.round) voice.openRound(table.round);
    const seat = mySeat()?.seat;
    mix.hear(events, drawn.goal, table, you);
    if (seat && events.some((event) => event.type === "clock_ran_out" && event.seat === seat))
      controls.missed();
    around.tellNews(events, you);
    show.play(events, table);
  },
  onAnswer(id, seq, refusal) {
    if (company.answered(id, seq, refusal)) return;
    commands.answered(id, seq);
    if (!refusal) voice.complain("");
    else if (refusal.code !== "stale_turn") voice.complain(mix.refusal(refusal));
    redraw();
  },
  onWallet(amount) {
    balance = amount;
    redraw();
  },
  onAway(why = gettext("Connection lost – coming back…")) {
    isConnected = false;
    voice.connection(why);
  },
  onBack() {
    isConnected = true;
    voice.connection("");
  },
  onSaid: (said) => company.said(said),
  onUnsaid: (unsaid) => company.unsaid(unsaid),
  onWatching: (watching) => company.watching(watching),
  onHouse: houseNews.house,
  onAnnounced: houseNews.table,
  onReminder: createReminder({ table: config.id, rules }).show,
  onGone: () => company.gone(),
});
const company = createSocialPanel({
  config,
  table: readTable(config.snapshot.table),
  send: feed.send,
  resync: feed.resync,
  seq: () => feed.seq,
  onOld: () => controls.changed(),
});

/** Whoever acts has seen enough of what is still being shown. @param {...Command} given */
function give(...given) {
  voice.complain("");
  show.finish();
  given.forEach(commands.give);
  redraw();
}

/** @param {number} seat */
function sit(seat) {
  if (you === null) location.assign(config.login_url);
  else if (!commands.isWaiting(feed.seq))
    give({ t: "sit", seat, commitment: mix.commitment(seat) });
}

function mySeat() {
  return drawn ? seatOf(drawn.goal, you) : undefined;
}

/**
 * Draws the table of this moment; `goal` is where the show is going.
 * @param {Table} table @param {{isStepping: boolean, quiet: boolean, goal: Table}} how
 */
function draw(table, { isStepping, quiet, goal }) {
  const staysMine = isStepping && isAsked(drawn?.table, you) && isAsked(goal, you);
  if (staysMine) table.asked = goal.asked;
  drawn = { table, goal, isStepping };
  const waiting = commands.isWaiting(feed?.seq ?? 0);
  felt.draw(table, {
    you,
    rules,
    quiet,
    isWaiting: isStepping || waiting,
    now: clock.now,
    onSit: sit,
  });
  around.draw({ ...drawn, you, balance, waiting });
  mix.draw(goal, seatOf(goal, you));
}

const redraw = () => draw(drawn.table, { ...drawn, quiet: true });

startClockTick(
  () => drawn.table,
  redraw,
  () => around.figures({ ...drawn, you }),
);

history.scrollRestoration = "manual"; // The page itself scrolls to my hand.
clock.tellTime(config.snapshot.now);
houseNews.all(config.snapshot);
const first = readTable(config.snapshot.table);
show.jump(first);
mix.look(first, you);
give(...mix.atLoad(first, you));
