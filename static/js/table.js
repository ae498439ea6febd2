/** The page of a table: connects feed, playback, board, controls and clock. */

import { createIdleWarning, startClockTick } from "./board/away_countdown.js";
import { createBoard } from "./board/board.js";
import { createPlayback } from "./board/playback.js";
import { createBehindDialog } from "./controls/behind_dialog.js";
import { createControls } from "./controls/controls.js";
import { createSitOutButton } from "./controls/sit_out_button.js";
import { createClientSeed } from "./fairness/client_seed.js";
import { createAnnouncer } from "./hud/announcer.js";
import { createCountdown } from "./hud/countdown.js";
import { speakInDialogs } from "./hud/dialog_voice.js";
import { createHud } from "./hud/hud.js";
import { createSheets, wireLeave, wirePanels } from "./hud/panels.js";
import { createRoundCosts } from "./hud/round_costs.js";
import { PLANNED } from "./hud/status_line.js";
import { watchTextSize } from "./hud/text_size.js";
import { createConfirmDialog } from "./lib/dialogs.js";
import { byId, prefersReducedMotion, readJson } from "./lib/dom.js";
import { keepFocus } from "./lib/focus.js";
import { gettext } from "./lib/i18n.js";
import { undoRound } from "./model/apply_event.js";
import {
  copyTable,
  findBacking,
  findPlace,
  findSeat,
  getFunds,
  isAsked,
  isAskedAgain,
  isAwaited,
  isHintFor,
  mayBack,
  mayDecideAhead,
  readTable,
} from "./model/table_model.js";
import { createCommandQueue } from "./net/command_queue.js";
import { startPage } from "./net/start_page.js";
import { openTableFeed } from "./net/table_feed.js";
import { createAnnouncements } from "./notices/announcements.js";
import { createPlaytimeReminder } from "./notices/playtime_reminder.js";
import { createSessionCard } from "./notices/session_card.js";
import { getSound } from "./notices/sound.js";
import { createHintSwitch } from "./settings/hint_switch.js";
import { wirePersonalSettings } from "./settings/personal_settings.js";
import { createBell } from "./social/bell.js";
import { createSocialPanel } from "./social/social_panel.js";
import { ACTION_NAMES } from "./text/actions.js";
import { getSettledNet } from "./text/outcomes.js";
import { MISSED } from "./text/prompts.js";
import { getBarEnd } from "./text/seat_lost.js";

startPage();

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
/** What I have decided ahead, and in which round. */
let plan = { round: config.snapshot.table.round, plan: config.snapshot.you.plan };
/** The command that decides ahead, until it is answered: another player may be faster. */
let planning = { id: "", turn: 0, plan: plan.plan };
/** Until when I may not sit down, because the host freed my seat; 0 if I may. */
let barredUntil = 0;

/** The keys about people. @type {Record<string, () => boolean>} */
const runOfTable = {
  chat: () => socialPanel.write(),
  react: () => socialPanel.react(),
  balance() {
    hud.mentionBalance();
    return true;
  },
  status() {
    hud.sayStatus(drawn.table, you);
    return true;
  },
};
const announcer = createAnnouncer({ rules });
const board = createBoard(rules);
const clientSeed = createClientSeed(config);
const personalSettings = wirePersonalSettings({
  rules,
  announcer,
  run: (command, key) => runOfTable[command]?.() ?? controls.run(command, key),
  skip: () => playback.finish(),
});
const { sound } = personalSettings;
const sessionCard = createSessionCard();
const roundCosts = createRoundCosts({
  settings: personalSettings.settings,
  note: announcer.note,
});

const warnOfIdleSeat = createIdleWarning(rules, announcer.say);
const sheets = createSheets();
const clock = createCountdown({
  felt: byId("felt"),
  bar: byId("clock-bar"),
  seconds: [byId("clock-seconds"), ...sheets.seconds],
  onHurry: () => isWaitedFor() && announcer.call(gettext("Ten seconds left.")),
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
  sheets,
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
  decideAhead,
  sitOut,
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
  saySoon: announcer.saySoon,
});
const behindDialog =
  rules.stakes && document.getElementById("behind-dialog")
    ? createBehindDialog({
        stakes: rules.stakes,
        place: (seat, stake, along) =>
          send({ t: "bet_behind", seat, turn: drawn.goal.turn, stake, along }),
        takeBack: () => send({ t: "take_back_behind", turn: drawn.goal.turn }),
      })
    : null;
const hintSwitch = createHintSwitch({ rules, switchTo: (on) => send({ t: "hints", on }) });
personalSettings.settings.follow(() => drawn && redraw());
const sitOutButton = createSitOutButton({ switchTo: sitOut });
wirePanels();
speakInDialogs();
watchTextSize();
keepFocus(byId("console"));

const feed = openTableFeed(config.socket, config.snapshot, {
  onTime: clock.tellTime,
  onSnapshot(table, viewer, isNews, rest) {
    socialPanel.snapshot(table, viewer, rest.chat, rest.present);
    announcements.all(rest);
    ({ player: you, balance } = viewer);
    ownAnswer = { round: table.round, answer: viewer.insurance };
    plan = { round: table.round, plan: viewer.plan };
    clientSeed.look(table, you, rest.epoch);
    if (isNews && !rest.isRestored)
      tellMissed(
        rest.missed,
        copyTable(drawn.goal),
        isConnected ? "" : gettext("While you were away:"),
      );
    if (isNews) playback.showAtOnce(table);
    rest.isRestored ? commands.forget() : commands.resend();
    redraw();
  },
  onChange(events, table) {
    socialPanel.change(events, table);
    if (!events.length) {
      playback.play(events, table); // Somebody has decided ahead: nothing is to be seen.
      return;
    }
    playback.finish();
    if (table.round !== null && table.round !== drawn.goal.round)
      announcer.openRound(table.number ?? table.round);
    const { seat, missed = 0 } = mySeat() ?? {};
    clientSeed.hear(events, drawn.goal, table, you);
    if (seat && events.some((event) => event.type === "clock_ran_out" && event.seat === seat))
      controls.missed();
    hud.showSeatLost(events, you);
    noteBar(events);
    playback.play(events, table);
    if (rules.stakes && (mySeat()?.missed ?? 0) > missed) announcer.note(MISSED);
  },
  onAnswer(id, seq, refusal) {
    if (socialPanel.answered(id, seq, refusal)) return;
    const mine = commands.answered(id, seq);
    if (id === planning.id && refusal && mayPlanAgain(refusal)) return;
    if (refusal && (mine?.t === "insure" || mine?.t === "decline"))
      ownAnswer = { round: null, answer: null };
    if (!refusal) announcer.complain("");
    else if (refusal.code !== "stale_turn" || id === planning.id)
      announcer.complain(clientSeed.refusal(refusal));
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
    if (!isConnected) announcer.say(gettext("You are connected again."));
    isConnected = true;
    announcer.connection("");
  },
  onSaid: (frame) => socialPanel.said(frame),
  onUnsaid: (unsaid) => socialPanel.unsaid(unsaid),
  onMuted: (muted) => announcer.muted(muted, you),
  onWatching: (watching) => socialPanel.watching(watching),
  onReacted: (reacted) => socialPanel.reacted(reacted),
  onNoticed: createBell(),
  onSite: announcements.house,
  onAnnounced: announcements.table,
  onPlan({ table, round, plan: chosen }) {
    if (table !== config.id) return;
    plan = { round, plan: chosen };
    if (chosen) announcer.say(PLANNED[chosen]);
    else if (planning.plan === null) announcer.say(gettext("You decide when your turn comes."));
    redraw();
  },
  onHint(hint) {
    lastHint = hint;
    redraw();
  },
  onReminder: createPlaytimeReminder({ table: config.id, rules }).show,
  onGone: () => socialPanel.close(),
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

/**
 * Writes into the log what has happened after a table that is older than the one on the page.
 * @param {Wire.MissedChange[]} missed @param {Table} before @param {string} [heading]
 */
function tellMissed(missed, before, heading = "") {
  let lastNumber = before.number;
  announcer.head(heading, () =>
    playback.tellMissed(missed, before, (event, table, next) => {
      if (table.number !== null && table.number !== lastNumber) announcer.openRound(table.number);
      lastNumber = table.number;
      announcer.tell(event, table, { you, round: drawn.goal.round, next });
    }),
  );
}

/** @param {string} type of my last command */
function nameChoice(type) {
  if (type === "bet") return gettext("Your bet");
  return Object.hasOwn(ACTION_NAMES, type)
    ? gettext("“%(action)s”", { action: ACTION_NAMES[/** @type {Wire.Action} */ (type)] })
    : gettext("Your choice");
}

/** That the line is away, and what becomes of what was pressed meanwhile. */
function sayAway() {
  const words = commands.isWaiting(feed.seq)
    ? gettext("Connection lost. %(choice)s is sent if you're back in time.", {
        choice: nameChoice(commands.getLast()?.t ?? ""),
      })
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

/** @param {Wire.Plan|null} chosen */
function decideAhead(chosen) {
  const { turn } = drawn.goal;
  announcer.complain("");
  const id = commands.give({ t: "decide_ahead", turn, plan: chosen });
  planning = { id, turn, plan: chosen };
  redraw();
}

/**
 * Another player decided in the same moment: what I chose is sent once more while it can be.
 * @param {Pick<Wire.Err, "code">} refusal
 */
function mayPlanAgain({ code }) {
  const isWorth = code === "stale_turn" && planning.turn !== drawn.goal.turn;
  if (!isWorth || !mayDecideAhead(drawn.goal, you, rules)) return false;
  decideAhead(planning.plan);
  return true;
}

/** @param {boolean} on */
function sitOut(on) {
  if (!commands.isWaiting(feed.seq)) send({ t: "sit_out", on });
}

/** @param {number} seat */
function sit(seat) {
  if (you === null) location.assign(config.login_url);
  else if (!commands.isWaiting(feed.seq)) {
    send({ t: "sit", seat, commitment: clientSeed.commitment(seat) });
    byId("console").focus({ preventScroll: true }); // The button that was pressed goes away.
  }
}

/** Open the dialog for a bet behind. @param {number} number */
function back(number) {
  const { goal } = drawn;
  const seat = goal.seats[number - 1];
  if (!mayBack(goal, seat, you) || commands.isWaiting(feed.seq)) return;
  const laid = findBacking(goal, you);
  behindDialog?.open({
    seat: number,
    player: seat.player ?? "",
    laid: laid?.isNext ? laid.backer : null,
    balance: balance ?? 0,
  });
}

/** Closes the dialog of a bet that can no longer be placed. */
function closeOldDialog() {
  if (!behindDialog?.seat) return;
  const seat = drawn.goal.seats[behindDialog.seat - 1];
  if (!seat || seat.player === null || !mayBack(drawn.goal, seat, you)) {
    behindDialog.close();
    announcer.note(
      gettext("Too late to bet behind: the cards are dealt, or the seat has changed."),
    );
  }
}

/** Whether the clock that runs is mine: to decide, to bet, or to take a seat. */
function isWaitedFor() {
  if (!drawn) return false;
  const { table, goal } = drawn;
  const seat = mySeat();
  return Boolean(
    isAsked(table, you)
      || isAskedAgain(table, you, rules)
      || (seat && isAwaited(goal, seat))
      || findPlace(goal, you)?.until,
  );
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
    onBack: behindDialog ? back : undefined,
  });
  closeOldDialog();
  const answer = ownAnswer.round === goal.round ? ownAnswer.answer : null;
  const hint = isHintFor(lastHint, goal, you) ? lastHint : null;
  const funds = getFunds(goal, you, balance);
  hud.draw({
    ...drawn,
    you,
    balance: funds,
    waiting,
    barredUntil,
    answer,
    hint,
    plan: plan.round === goal.round ? plan.plan : null,
  });
  sitOutButton.draw(goal, you, waiting);
  roundCosts.draw(goal, you, isStepping);
  sessionCard.draw(goal, you, isStepping);
  hintSwitch.draw(goal, you, waiting);
  warnOfIdleSeat(findSeat(goal, you), clock.now());
  clientSeed.draw(goal, findSeat(goal, you));
}

const redraw = () => draw(drawn.table, { ...drawn, quiet: true });

startClockTick(
  () => drawn.table,
  clock.now,
  redraw,
  () => hud.figures({ ...drawn, you }),
);

clock.tellTime(config.snapshot.now);
announcements.all(config.snapshot);
const first = readTable(config.snapshot.table);
playback.showAtOnce(first);
if (config.snapshot.missed.length)
  announcer.quietly(() =>
    tellMissed(config.snapshot.missed, undoRound(first, config.snapshot.missed)),
  );
announcer.recall(first, you);
clientSeed.look(first, you);
send(...clientSeed.atLoad(first, you));
