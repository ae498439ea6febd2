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
import { createRoundCosts } from "./hud/round_costs.js";
import { watchTextSize } from "./hud/text_size.js";
import { createConfirmDialog } from "./lib/dialogs.js";
import { byId, prefersReducedMotion, readJson } from "./lib/dom.js";
import { ignoreDoubleSubmit } from "./lib/double_submit.js";
import { keepFocus } from "./lib/focus.js";
import { gettext } from "./lib/i18n.js";
import { storeZone } from "./lib/zone.js";
import {
  findPlace,
  findSeat,
  getFunds,
  isAsked,
  isAskedAgain,
  isHintFor,
  readTable,
} from "./model/table_model.js";
import { createCommandQueue } from "./net/command_queue.js";
import { registerServiceWorker } from "./net/register_worker.js";
import { openTableFeed } from "./net/table_feed.js";
import { createAnnouncements } from "./notices/announcements.js";
import { createPlaytimeReminder } from "./notices/playtime_reminder.js";
import { createSessionCard } from "./notices/session_card.js";
import { getSound } from "./notices/sound.js";
import { createHintSwitch } from "./settings/hint_switch.js";
import { wirePersonalSettings } from "./settings/personal_settings.js";
import { createSocialPanel } from "./social/social_panel.js";
import { getSettledNet } from "./text/outcomes.js";
import { getBarEnd } from "./text/seat_lost.js";

storeZone();
ignoreDoubleSubmit();
registerServiceWorker();

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
/** Why the line does not come back; "" while it is tried again. */
let partedFor = "";
/** What I have answered about insurance, and in which round, if it was on this page or before it. */
let ownAnswer = { round: config.snapshot.table.round, answer: config.snapshot.you.insurance };
/** The last hint. It is shown while it is about my decision. @type {Wire.Hint|null} */
let lastHint = null;
/** Until when I may not sit down, because the host freed my seat; 0 if I may. */
let barredUntil = 0;

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
const sessionCard = createSessionCard();
const roundCosts = createRoundCosts({
  settings: personalSettings.settings,
  note: announcer.note,
});

const clock = createCountdown({
  felt: byId("felt"),
  bar: byId("clock-bar"),
  seconds: byId("clock-seconds"),
  onHurry: () =>
    drawn
    && (isAsked(drawn.table, you)
      || isAskedAgain(drawn.table, you, rules)
      || findPlace(drawn.goal, you)?.until)
    && announcer.call(gettext("Ten seconds left.")),
});
const playback = createPlayback({
  draw,
  onEvent(event, table, goal, next) {
    announcer.tell(event, table, { you, round: goal.round, next });
    board.hear(event);
    hud.applyMoney(event, findSeat(table, you));
    sound.make(getSound(event, getSettledNet(event, findSeat(table, you), rules)));
  },
  isStill: prefersReducedMotion,
  isSeen: () => !document.hidden,
});
/** @param {boolean} isSlow */
const onSlow = (isSlow) =>
  isConnected && announcer.connection(isSlow ? gettext("Waiting for the server…") : "");
const commands = createCommandQueue({
  key: `commands/${config.snapshot.epoch}/${own}`,
  send: (message) => feed.send(message),
  onSlow,
  onDead: (silence) => feed.drop(silence),
});
const leave = wireLeave({
  mustAsk: () =>
    drawn.goal.match?.state === "running"
    || (Boolean(mySeat()?.hands.some((hand) => !hand.outcome)) && drawn.goal.phase === "playing"),
  leave: () => send({ t: "leave" }),
});
const announcements = createAnnouncements({ now: clock.now, onHold: () => drawn && redraw() });
const hud = createHud({
  rules,
  key: own,
  announcer,
  clock,
  leave,
  announcements,
  ...personalSettings,
  controls: () => controls,
});
const controls = createControls(byId("controls"), {
  rules,
  key: own,
  lastStake: hud.lastStake,
  decide(action) {
    if (action === "insure" || action === "decline")
      ownAnswer = { round: drawn.goal.round, answer: action };
    send({ t: action, turn: drawn.goal.turn });
  },
  bet: (stake) =>
    send(...clientSeed.bet({ t: "bet", turn: drawn.goal.turn, stake }, drawn.goal, mySeat())),
  takeBack: () => send({ t: "take_back", turn: drawn.goal.turn }),
  startMatch: () => send({ t: "start_match" }),
  showStandings: hud.showStandings,
  queueUp: () => send({ t: "queue_up" }),
  leaveQueue: () => send({ t: "leave_queue" }),
  takeSeat: sit,
  leave: () => send({ t: "leave" }),
  topUp: () => send({ t: "top_up" }),
  askTopUp: () => send({ t: "ask_top_up" }),
  giveStack: (seat) => send({ t: "give_stack", seat }),
  sure: createConfirmDialog(),
  isConnected: () => isConnected,
  note: announcer.note,
  complain: announcer.complain,
});
const hintSwitch = createHintSwitch({ rules, switchTo: (on) => send({ t: "hints", on }) });
personalSettings.settings.follow(() => drawn && redraw());
wirePanels();
watchTextSize();
keepFocus(byId("console"));

const feed = openTableFeed(config.socket, config.snapshot, {
  onTime: clock.tellTime,
  onSnapshot(table, viewer, isNews, rest) {
    socialPanel.snapshot(table, viewer, rest.chat);
    announcements.all(rest);
    ({ player: you, balance } = viewer);
    ownAnswer = { round: table.round, answer: viewer.insurance };
    clientSeed.look(table, you, rest.epoch);
    if (isNews) playback.showAtOnce(table);
    rest.isRestored ? commands.forget() : commands.resend();
    redraw();
  },
  onChange(events, table) {
    socialPanel.change(events, table);
    playback.finish();
    if (table.round !== null && table.round !== drawn.goal.round)
      announcer.openRound(table.number ?? table.round);
    const seat = mySeat()?.seat;
    clientSeed.hear(events, drawn.goal, table, you);
    if (seat && events.some((event) => event.type === "clock_ran_out" && event.seat === seat))
      controls.missed();
    hud.showSeatLost(events, you);
    noteBar(events);
    playback.play(events, table);
  },
  onAnswer(id, seq, refusal) {
    if (socialPanel.answered(id, seq, refusal)) return;
    commands.answered(id, seq);
    if (refusal) ownAnswer = { round: null, answer: null };
    if (!refusal) announcer.complain("");
    else if (refusal.code !== "stale_turn") announcer.complain(clientSeed.refusal(refusal));
    redraw();
  },
  onWallet(amount) {
    balance = amount;
    redraw();
  },
  onAway(why = "") {
    isConnected = false;
    partedFor = why;
    sayAway();
  },
  onBack() {
    isConnected = true;
    announcer.connection("");
  },
  onSaid: (said) => socialPanel.said(said),
  onUnsaid: (unsaid) => socialPanel.unsaid(unsaid),
  onWatching: (watching) => socialPanel.watching(watching),
  onSite: announcements.house,
  onAnnounced: announcements.table,
  onHint(hint) {
    lastHint = hint;
    redraw();
  },
  onReminder: createPlaytimeReminder({ table: config.id, rules }).show,
  onGone: () => socialPanel.gone(),
  // Without a login a private table does not exist: the way back to it leads through the login.
  onEnded: config.snapshot.table.private
    ? () => location.replace(`${config.login_url}&logged_out=1`)
    : undefined,
});
const socialPanel = createSocialPanel({
  config,
  table: readTable(config.snapshot.table),
  send: feed.send,
  resync: feed.resync,
  seq: () => feed.seq,
  onOld: () => controls.changed(),
});

/** That the line is away, and what becomes of what was pressed meanwhile. */
function sayAway() {
  const words = commands.isWaiting(feed.seq)
    ? gettext("Connection lost. Your choice is sent when you're back, if there is still time.")
    : gettext("Connection lost. Reconnecting…");
  announcer.connection(partedFor || words);
}

/** The seats are offered again as soon as I may sit down. @param {Wire.Event[]} events */
function noteBar(events) {
  const end = getBarEnd(events, you, Date.now());
  if (!end) return;
  barredUntil = end;
  setTimeout(() => {
    barredUntil = 0;
    redraw();
  }, end - Date.now());
}

/** Sends commands, and ends the animation. @param {...Command} sent */
function send(...sent) {
  announcer.complain("");
  playback.finish();
  sent.forEach(commands.give);
  if (!isConnected) sayAway();
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
  return drawn ? findSeat(drawn.goal, you) : undefined;
}

/**
 * Draws the table of this moment; `goal` is the table at the end of the playback.
 * @param {Table} table @param {{isStepping: boolean, quiet: boolean, goal: Table}} how
 */
function draw(table, { isStepping, quiet, goal }) {
  const staysMine = isStepping && isAsked(drawn?.table, you) && isAsked(goal, you);
  if (staysMine) Object.assign(table, { asked: goal.asked, insurance: goal.insurance });
  drawn = { table, goal, isStepping };
  const waiting = commands.isWaiting(feed?.seq ?? 0);
  board.draw(table, {
    you,
    rules,
    quiet,
    isWaiting: isStepping || waiting,
    isBarred: barredUntil > 0,
    now: clock.now,
    onSit: sit,
  });
  const answer = ownAnswer.round === goal.round ? ownAnswer.answer : null;
  const hint = isHintFor(lastHint, goal, you) ? lastHint : null;
  const funds = getFunds(goal, you, balance);
  hud.draw({ ...drawn, you, balance: funds, waiting, barredUntil, answer, hint });
  roundCosts.draw(goal, you, isStepping);
  sessionCard.draw(goal, you, isStepping);
  hintSwitch.draw(goal, you, waiting);
  clientSeed.draw(goal, findSeat(goal, you));
}

const redraw = () => draw(drawn.table, { ...drawn, quiet: true });

startClockTick(
  () => drawn.table,
  redraw,
  () => hud.figures({ ...drawn, you }),
);

clock.tellTime(config.snapshot.now);
announcements.all(config.snapshot);
const first = readTable(config.snapshot.table);
playback.showAtOnce(first);
announcer.recall(first, you);
clientSeed.look(first, you);
send(...clientSeed.atLoad(first, you));
