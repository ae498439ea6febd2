/** The table page: wires the feed, the show, the buttons and the clock together. */
import { createAnnouncer } from "./announce.js";
import { createClock } from "./clock.js";
import { createCommands } from "./commands.js";
import { createControls } from "./controls.js";
import { byId, setClasses, setText, wantsStillness } from "./dom.js";
import { createFelt } from "./felt.js";
import { drawFigures, wireLeave, wireLog, wireRules } from "./frame.js";
import { openFeed } from "./feed.js";
import { createMix } from "./mix.js";
import { asksAgain, baseStake, isAsked, readTable, seatOf } from "./model.js";
import { AGAIN, questionCall } from "./questions.js";
import { parting } from "./results.js";
import { createShow } from "./show.js";
import { statusOf } from "./status.js";

const config = JSON.parse(byId("table-config").textContent);
const { rules } = config;
const PLAIN_TITLE = document.title;
let you = config.you;
let balance = config.snapshot.you.balance;
let shownBalance = balance;
let lastStake = null;
let shownTurn = 0;
let drawn = null;
let news = "";

const voice = createAnnouncer({ rules });
const felt = createFelt(rules);
const mix = createMix();

const clock = createClock({
  felt: byId("felt"), bar: byId("clock-bar"), seconds: byId("clock-seconds"),
  onHurry: () => drawn && (isAsked(drawn.table, you) || amAskedAgain(drawn.table)) && voice.call("Ten seconds left."),
});
const show = createShow({
  draw,
  tell: (event, table, goal) => voice.tell(event, table, { you, round: goal.round }),
  isStill: wantsStillness,
  isSeen: () => !document.hidden,
});
const commands = createCommands({
  key: `commands/${config.id}/${config.you}`,
  send: (message) => feed.send(message),
});
const controls = createControls(byId("controls"), {
  rules,
  loginUrl: config.login_url,
  lastStake: () => lastStake,
  decide: (action) => give({ t: action, turn: drawn.goal.turn }),
  bet: (stake) => give({ t: "bet", turn: drawn.goal.turn, stake, words: mix.wordsFor(drawn.goal.shoe) }),
  leave: () => give({ t: "leave" }),
});
const leave = wireLeave({
  hasHandInPlay: () => Boolean(mySeat()?.hands.some((hand) => !hand.outcome)) && drawn.goal.phase === "playing",
  leave: () => give({ t: "leave" }),
});
wireLog();
wireRules();

const feed = openFeed(config.socket, config.snapshot.seq, {
  onTime: clock.tellTime,
  onSnapshot(table, viewer, isNews) {
    you = viewer.player;
    balance = viewer.balance;
    if (isNews) show.jump(table);
    commands.resend();
    redraw();
  },
  onChange(events, table) {
    show.finish();
    if (table.round !== null && table.round !== drawn.goal.round) voice.openRound(table.round);
    mix.hear(events, mySeat()?.seat);
    news = parting(events, you, rules) || news;
    show.play(events, table);
  },
  onAnswer(id, seq, refusal) {
    commands.answered(id, seq);
    if (!refusal) voice.complain("");
    else if (refusal.code !== "stale_turn") voice.complain(refusal.message);
    redraw();
  },
  onWallet(amount) {
    balance = amount;
    redraw();
  },
  onAway: () => voice.connection("Connection lost – coming back…"),
  onBack: () => voice.connection(""),
  onGone: () => voice.connection("This table has been put away."),
});

function give(command) {
  voice.complain("");
  commands.give(command);
  redraw();
}

function sit(seat) {
  if (you === null) location.assign(config.login_url);
  else if (!commands.isWaiting(feed.seq)) give({ t: "sit", seat });
}

function mySeat() {
  return drawn ? seatOf(drawn.goal, you) : undefined;
}

function amAskedAgain(table) {
  const mine = seatOf(table, you);
  return Boolean(mine) && asksAgain(table, mine, rules);
}

/** Draws the table of this moment; `goal` is where the show is going. */
function draw(table, { isStepping, quiet, goal }) {
  const staysMine = isStepping && isAsked(drawn?.table, you) && isAsked(goal, you);
  if (staysMine) table.asked = goal.asked;
  drawn = { table, goal, isStepping };
  felt.draw(table, { you, rules, quiet, isWaiting: isWaiting(), onSit: sit });
  drawAround();
}

const redraw = () => draw(drawn.table, { ...drawn, quiet: true });

function isWaiting() {
  return drawn.isStepping || commands.isWaiting(feed?.seq ?? 0);
}

function drawAround() {
  const { table, goal, isStepping } = drawn;
  const mine = seatOf(table, you);
  lastStake = mine?.stake || baseStake(mine?.hands[0]) || lastStake;
  if (!isStepping) shownBalance = balance; // The money must not tell how the round ends.
  drawFigures(byId("figures"), { rules, mine, rack: table.rack, balance: shownBalance, you });
  if (mine && !isStepping && seatOf(goal, you)) news = "";
  const status = statusOf(table, { you, rules, isStepping, balance: shownBalance ?? 0, news });
  setText(byId("status-main"), status.main);
  setText(byId("status-sub"), status.sub);
  byId("console").dataset.tone = status.tone;
  controls.draw(table, { you, balance, waiting: isWaiting() });
  leave.draw(mine);
  const isMyTurn = isAsked(table, you);
  setClasses(document.body, { "is-my-turn": isMyTurn, "is-seated": Boolean(mine), "is-betting": table.phase === "betting" });
  document.title = isMyTurn ? `Your turn – ${PLAIN_TITLE}` : PLAIN_TITLE;
  clock.show(isStepping && !isMyTurn ? null : goal.deadline, goal.clock);
  if (isStepping) return;
  if (isMyTurn) voice.callOnce(table.turn, questionCall(table, rules));
  else if (amAskedAgain(table)) voice.callOnce(table.turn, AGAIN);
  if (mine?.hands.length) showMyHand(table.turn);
}

/** On a small screen: my hand, right above the buttons, once for each decision of the table. */
function showMyHand(turn) {
  if (shownTurn === turn) return;
  shownTurn = turn;
  window.scrollTo(0, document.documentElement.scrollHeight);
}

history.scrollRestoration = "manual"; // The page itself scrolls to my hand.
clock.tellTime(config.snapshot.now);
show.jump(readTable(config.snapshot.table));
