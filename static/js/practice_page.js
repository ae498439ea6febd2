/** The page of practice: a hand, an answer, what it cost, and the figures. */
import { drawCards } from "./board/cards.js";
import { getKey } from "./controls/shortcuts.js";
import { byId, el, find, findAll, readJson, setAttribute, setText } from "./lib/dom.js";
import { gettext, ngettext } from "./lib/i18n.js";
import { FACE_DOWN } from "./model/card_values.js";
import { startPage } from "./net/start_page.js";
import { createClock } from "./practice/clock.js";
import { fetchHand, fetchValues, RefusedError, sendProgress } from "./practice/feed.js";
import { createProgress, isRight } from "./practice/progress.js";
import {
  formatAmount,
  formatChances,
  formatInsurance,
  formatNumber,
  formatQuestion,
  formatUnit,
  formatValue,
  formatVerdict,
} from "./practice/sentences.js";
import { createSettings } from "./settings/settings_store.js";
import { wireBell } from "./social/bell.js";
import { ACTION_NAMES } from "./text/actions.js";
import { formatPercent } from "./text/format.js";

/**
 * @import { Values } from "./practice/feed.js"
 * @import { Games } from "./practice/progress.js"
 * @import { Action, Question, Unit } from "./practice/sentences.js"
 * @typedef {{game: string, account: number|null, unit: Unit, hand_url: string, values_url: string,
 *   progress_url: string, kept: Games}} Config
 * @typedef {"loading"|"ready"|"asked"|"checking"|"answered"|"failed"} Phase
 */

startPage();
wireBell();

const CHOICES = "practice/choices";
const MILLION = 1_000_000;
/** At the table R deals the next round, and many printed charts write R for surrender. */
const OTHER_KEYS = /** @type {const} */ ({ R: "surrender" });
/** @type {Action[]} */
const ACTIONS = ["hit", "stand", "double", "split", "surrender", "insure", "decline"];

/** @type {Config} */
const config = readJson("practice-config");
const progress = createProgress({
  ...config,
  send: (body) => sendProgress(config.progress_url, body, readToken()),
  onChange: () => drawFigures(),
});
const table = byId("practice-table");
const buttons = byId("practice-actions");
const next = byId("practice-next", HTMLButtonElement);
const rules = byId("practice-rules", HTMLSelectElement);
const hands = byId("practice-hands", HTMLSelectElement);
const time = byId("practice-time", HTMLSelectElement);
const clock = createClock({
  bar: byId("practice-bar"),
  seconds: byId("practice-seconds"),
  onEnd: () => answer(null),
});

/** @type {Phase} */
let phase = "loading";
/** @type {Question|null} */
let question = null;
/** @type {Action|null} */
let chosen = null;
/** The next hand, on its way while the values are read. @type {Promise<Question>|null} */
let upcoming = null;

/** The token of the page's form, which only pages of players have. */
function readToken() {
  return find(document, "#practice-keep input", HTMLInputElement).value;
}

// The choices

function readChoices() {
  try {
    const choices = JSON.parse(localStorage.getItem(CHOICES) ?? "{}");
    for (const select of [hands, time]) {
      const choice = String(choices?.[select.id] ?? "");
      if ([...select.options].some(({ value }) => value === choice)) select.value = choice;
    }
  } catch {
    // All hands, without a limit.
  }
}

function writeChoices() {
  const choices = { [hands.id]: hands.value, [time.id]: time.value };
  try {
    localStorage.setItem(CHOICES, JSON.stringify(choices));
  } catch {
    // Without storage they last as long as the page.
  }
}

// A hand

function order() {
  const hand = fetchHand(config.hand_url, hands.value, progress.listMissed());
  hand.catch(() => {}); // It is told when the hand is wanted.
  return hand;
}

/** Deals the next hand; with a clock, the first one waits for a press. */
async function deal() {
  phase = "loading";
  clock.stop();
  draw();
  try {
    question = await (upcoming ?? order());
  } catch (error) {
    fail(error);
    return;
  } finally {
    upcoming = null;
  }
  chosen = null;
  phase = "asked";
  drawHand(question);
  draw();
  say(
    formatQuestion(question),
    question.asks_insurance ? gettext("Insurance?") : gettext("What do you do?"),
  );
  clock.start(Number(time.value));
}

/** @param {Action|null} action null: the time is over */
async function answer(action) {
  if (phase !== "asked" || !question) return;
  if (action && !question.actions.includes(action)) return;
  chosen = action;
  phase = "checking";
  clock.stop();
  draw();
  await check();
}

async function check() {
  if (!question) return;
  /** @type {Values} */
  let answered;
  try {
    answered = await fetchValues(config.values_url, question);
  } catch (error) {
    fail(error);
    return;
  }
  const sorted = sortValues(answered);
  const [[, best]] = sorted;
  const cost = chosen === null ? null : best - answered.values[chosen];
  progress.add(question.spot, cost);
  phase = "answered";
  upcoming = order();
  drawValues(sorted, answered);
  drawFigures();
  draw(cost !== null && isRight(cost) ? "good" : "bad", sorted[0][0]);
  const { main, sub } = formatVerdict(question, chosen, tell(sorted), config.unit);
  say(main, sub);
}

/** The answer first among those that are equally good. @param {[Action, number][]} sorted */
function tell(sorted) {
  const mine = sorted.find(([action]) => action === chosen);
  if (!mine || !isRight(sorted[0][1] - mine[1])) return sorted;
  return [mine, ...sorted.filter((each) => each !== mine)];
}

/** @param {Values} answered @returns {[Action, number][]} */
function sortValues({ values }) {
  const actions = ACTIONS.filter((action) => action in values);
  return actions
    .map((action) => /** @type {[Action, number]} */ ([action, values[action]]))
    .sort(([, one], [, other]) => other - one);
}

/** @param {unknown} error */
function fail(error) {
  phase = "failed";
  draw("bad");
  const reason = error instanceof RefusedError ? error.message : "";
  say(gettext("The hand can't be fetched."), reason || gettext("Is the line away? Try again."));
}

function goOn() {
  if (phase === "failed" && question && chosen) {
    phase = "checking";
    draw();
    check();
  } else if (phase === "ready" || phase === "answered" || phase === "failed") {
    const hadFocus = document.activeElement === next;
    deal().then(() => hadFocus && buttons.focus({ preventScroll: true }));
  }
}

// What is drawn

/** @param {string} main @param {string} sub */
function say(main, sub) {
  setText(byId("practice-main"), main);
  setText(byId("practice-sub"), sub);
}

/** @param {Question} hand */
function drawHand(hand) {
  const quiet = { quiet: true };
  drawCards(byId("practice-dealer"), [hand.up, FACE_DOWN], quiet);
  drawCards(byId("practice-hand"), hand.hand, quiet);
  buttons.replaceChildren(...hand.actions.map(createButton));
}

/** @param {Action} action */
function createButton(action) {
  return el(
    "button",
    {
      type: "button",
      class: "action",
      "data-action": action,
      "aria-keyshortcuts": getKey(action) || null,
      onclick: () => answer(action),
    },
    el("span", { class: "action-name" }, ACTION_NAMES[action]),
    el("kbd", { "aria-hidden": "true" }, getKey(action)),
  );
}

/** @param {string} [tone] @param {Action|null} [best] */
function draw(tone = "", best = null) {
  table.dataset.tone = tone;
  table.dataset.phase = phase;
  const isOver = phase === "answered";
  const isOn = phase === "asked";
  for (const button of findAll(buttons, "button")) {
    const { action } = button.dataset;
    setAttribute(button, "aria-disabled", isOn ? null : "true");
    button.classList.toggle("is-chosen", !isOn && action === chosen);
    button.classList.toggle("is-best", isOver && action === best);
  }
  byId("practice-values").hidden = !isOver;
  const hadFocus = buttons.contains(document.activeElement);
  next.hidden = !(isOver || phase === "ready" || phase === "failed");
  setText(
    /** @type {Element} */ (next.firstElementChild),
    phase === "ready"
      ? gettext("Start")
      : phase === "failed"
        ? gettext("Try again")
        : gettext("Next hand"),
  );
  if (!next.hidden && hadFocus) next.focus({ preventScroll: true });
}

/** @param {[Action, number][]} sorted @param {Values} answered */
function drawValues(sorted, { chances, insurance }) {
  const [[, best]] = sorted;
  const widest = Math.max(...sorted.map(([, value]) => Math.abs(value)), 0.001);
  setText(byId("values-unit"), formatUnit(config.unit));
  const rows = sorted.map(([action, value]) =>
    createRow(action, value, best, widest, chances[action]),
  );
  byId("values-rows").replaceChildren(...rows);
  const note = byId("values-note");
  note.hidden = insurance === null;
  setText(note, insurance === null ? "" : formatInsurance(insurance, config.unit));
}

/**
 * @param {Action} action @param {number} value @param {number} best @param {number} widest
 * @param {[number, number, number]} [chances]
 */
function createRow(action, value, best, widest, chances) {
  const isBest = isRight(best - value);
  const bar = el("span", {
    class: `value-bar ${value < 0 ? "is-loss" : "is-win"}`,
    "aria-hidden": "true",
  });
  bar.style.setProperty("--share", (Math.abs(value) / widest).toFixed(3));
  const name = el("th", { scope: "row" }, ACTION_NAMES[action]);
  if (action === chosen)
    name.append(" ", el("span", { class: "value-tag" }, gettext("your answer")));
  if (chances) name.append(el("span", { class: "value-chances" }, formatChances(chances)));
  const row = el(
    "tr",
    { "data-action": action },
    name,
    el("td", {}, el("span", { class: "value-number" }, formatValue(value)), bar),
    el("td", {}, isBest ? el("b", {}, gettext("best")) : formatNumber(best - value)),
  );
  row.classList.toggle("is-best", isBest);
  row.classList.toggle("is-chosen", action === chosen);
  return row;
}

function drawFigures() {
  const { hands: played, right, late, cost, streak, best } = progress.figures;
  setText(byId("figure-hands"), String(played));
  const share = played ? ` (${formatPercent(right / played)})` : "";
  setText(byId("figure-right"), `${right}${share}`);
  // A hand without an answer has no cost.
  const graded = played - late;
  const each = (100 * cost) / MILLION / graded;
  setText(byId("figure-cost"), graded ? formatAmount(each, config.unit) : "–");
  setText(byId("figure-streak"), String(streak));
  setText(byId("figure-best"), String(best));
  setText(byId("figure-late"), String(late));
  const missed = progress.listMissed().length;
  const again = byId("practice-again");
  again.hidden = missed === 0;
  setText(
    again,
    ngettext(
      "One kind of hand that you missed comes more often, until you have it right.",
      "%(number)s kinds of hands that you missed come more often, until you have them right.",
      missed,
    ),
  );
}

// The page

function begin() {
  writeChoices();
  upcoming = null;
  if (!Number(time.value)) {
    deal();
    return;
  }
  phase = "ready";
  clock.stop();
  clock.show(0);
  question = chosen = null;
  drawCards(byId("practice-dealer"), [FACE_DOWN, FACE_DOWN], { quiet: true });
  drawCards(byId("practice-hand"), [FACE_DOWN, FACE_DOWN], { quiet: true });
  buttons.replaceChildren();
  draw();
  say(gettext("Ready?"), gettext("The clock starts with the first hand."));
}

function askForRules() {
  rules.form?.submit();
}

next.addEventListener("click", goOn);
rules.addEventListener("change", askForRules);
hands.addEventListener("change", begin);
time.addEventListener("change", begin);
byId("practice-reset").addEventListener("click", () => {
  progress.reset();
  drawFigures();
});

const settings = createSettings();
document.addEventListener("keydown", (event) => {
  if (
    !settings.is("keys")
    || event.defaultPrevented
    || event.repeat
    || event.ctrlKey
    || event.altKey
    || event.metaKey
  )
    return;
  const at = event.target;
  if (!(at instanceof Element) || at.closest("input, select, textarea")) return;
  if (event.key === "Enter" || event.key === " ") {
    if (at.closest("button, a, summary") || next.hidden) return;
    event.preventDefault();
    goOn();
    return;
  }
  const key = event.key.toUpperCase();
  const action =
    ACTIONS.find((each) => getKey(each) === key) ?? (key === "R" ? OTHER_KEYS.R : null);
  if (!action || phase !== "asked") return;
  event.preventDefault();
  answer(action);
});

readChoices();
drawFigures();
begin();
progress.sync();
// Who chose rules before this script was there has not been heard.
if (!rules.selectedOptions[0].defaultSelected) askForRules();
