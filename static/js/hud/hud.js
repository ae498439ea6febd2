/** Everything around the board: stats, status, countdown, controls, the tab, and announcements for screen readers. */
import { byId, setClasses, setText } from "../lib/dom.js";
import { gettext, ngettext } from "../lib/i18n.js";
import {
  findPlace,
  findSeat,
  getBaseStake,
  isAsked,
  isAskedAgain,
  isAwaited,
} from "../model/table_model.js";
import { formatMoney } from "../text/format.js";
import { AGAIN, againCall, betCall, questionCall } from "../text/prompts.js";
import { formatOfferCall } from "../text/queue.js";
import { getSeatLostReason } from "../text/seat_lost.js";
import { createGameResult } from "./game_result.js";
import { createMatchPanel } from "./match_panel.js";
import { drawStats } from "./panels.js";
import { getStatus } from "./status_line.js";

/**
 * @import { Controls } from "../controls/controls.js"
 * @import { EventFields } from "../model/apply_event.js"
 * @import { Rules, Seat, Table } from "../model/table_model.js"
 * @import { Announcements } from "../notices/announcements.js"
 * @import { Notices } from "../notices/desktop_notifications.js"
 * @import { Sound } from "../notices/sound.js"
 * @import { Tab } from "../notices/tab_title.js"
 * @import { Announcer } from "./announcer.js"
 * @import { Clock } from "./countdown.js"
 * @import { Leave, Sheets } from "./panels.js"
 * @typedef {{table: Table, goal: Table, isStepping: boolean, you: string|null, balance: number|null, waiting: boolean,
 *   barredUntil: number, answer: Wire.You["insurance"], hint: Wire.Hint|null, plan: Wire.Plan|null}} View
 */

const YOUR_TURN = gettext("Your turn");
const YOUR_BET = gettext("Your bet");
const YOUR_SEAT = gettext("A seat for you");
/** How long the server offers a seat, in seconds. */
const OFFER_CLOCK = 30;
/** In a match the clock runs from the end of a round on. */
const BET_IN_MATCH = gettext("Place your bet");
const BET_NOTICE = gettext("Everyone else has bet. Place your bet.");

/**
 * What an event at my seat brings me, or takes from me. Insurance is paid with my answer, if that came before the others'.
 * @param {EventFields} event @param {Seat} mine
 */
function moneyToMe({ type, stake = 0, payout = 0 }, { answered }) {
  if (type === "insurance_taken" && answered) return 0;
  if (["bet_placed", "hand_doubled", "hand_split", "insurance_taken"].includes(type)) return -stake;
  if (type === "bet_returned") return stake;
  return type === "hand_settled" || type === "insurance_settled" ? payout : 0;
}

/** @param {string} text */
const toSentence = (text) => (/[\p{L}\p{N}]$/u.test(text) ? `${text}.` : text);

/** @param {number} seconds */
const formatSecondsLeft = (seconds) =>
  ngettext("%(seconds)s second left.", "%(seconds)s seconds left.", seconds, { seconds });

/** The seat that is offered to me, and until when. @param {Table} table @param {string|null} you */
function findOffer(table, you) {
  const place = findPlace(table, you);
  if (!place || place.seat === null || place.until === null) return null;
  return { seat: place.seat, until: place.until };
}

/**
 * @param {{rules: Rules, key: string, announcer: Announcer, clock: Clock, controls: () => Controls, leave: Leave, tab: Tab,
 *   notices: Notices, sound: Sound, announcements: Announcements, sheets: Sheets}} parts
 */
export function createHud({
  rules,
  key,
  announcer,
  clock,
  controls,
  leave,
  tab,
  notices,
  sound,
  announcements,
  sheets,
}) {
  /** @type {number|null} */
  let shownBalance = null;
  /** @type {number|null} */
  let lastStake = null;
  const gameResult = rules.piles ? createGameResult(`game-result/${key}`) : null;
  const matchPanel = createMatchPanel(key);
  const touches = window.matchMedia("(hover: none)");
  const canLogIn = document.querySelector("#visitor a") !== null;
  let noticedTurn = 0;
  let news = "";
  /** The end of the clock to bet that was announced last. @type {number|null} */
  let calledDeadline = null;
  /** The balance that was announced last, or the first one. @type {number|null} */
  let saidBalance = null;

  /**
   * Announces a decision once: by voice, sound and notification.
   * @param {number} turn its token, or the end of an offer of a seat @param {string} text
   */
  function notifyTurn(turn, text) {
    announcer.callOnce(turn, text);
    notice(turn, text);
  }

  /** @param {number} turn @param {string} text */
  function notice(turn, text) {
    if (noticedTurn === turn) return;
    noticedTurn = turn;
    sound.make("turn");
    notices.show(text);
  }

  /** @param {Pick<Table, "deadline">} table */
  const getSecondsLeft = ({ deadline }) => Math.round(((deadline ?? 0) - clock.now()) / 1_000);

  /** After the result of the round, which is being read out. @param {Table} table */
  function askAgain({ turn, deadline }) {
    announcer.callOnce(turn, againCall(getSecondsLeft({ deadline })), { isPolite: true });
    notice(turn, AGAIN);
  }

  /** The clock to bet runs, and I have not bet. @param {Table} table */
  function askToBet({ turn, match, deadline }) {
    if (document.hidden) notice(turn, match ? BET_IN_MATCH : BET_NOTICE);
    if (!rules.stakes || calledDeadline === deadline) return;
    calledDeadline = deadline;
    announcer.say(betCall(getSecondsLeft({ deadline })));
  }

  /** After a round that has changed it. @param {Table} table @param {Seat|undefined} mine */
  function sayBalance({ phase }, mine) {
    if (phase !== "betting" || mine?.stake !== null || !mine.hands.length) return;
    if (saidBalance !== shownBalance && !announcer.isShort) announcer.say(formatBalance());
    saidBalance = shownBalance;
  }

  const formatBalance = () =>
    gettext("Your balance: %(amount)s.", { amount: formatMoney(shownBalance ?? 0) });

  /**
   * The text of my decision for the browser's tab; "" for none.
   * @param {Table} table @param {string|null} you @param {Seat|undefined} mine
   */
  function getTabText(table, you, mine) {
    if (isAsked(table, you)) return YOUR_TURN;
    if (!mine || table.deadline === null || !isAwaited(table, mine)) return "";
    return isAskedAgain(table, you, rules) ? AGAIN : YOUR_BET;
  }

  /**
   * As soon as no player can act, betting on the next round opens while the dealer still plays.
   * @param {Table} table @param {Table} goal @param {boolean} isStepping @returns {Table|null}
   */
  function previewBetting(table, goal, isStepping) {
    // Of piles, the last cards decide whether the game is over.
    if (!isStepping || goal.phase !== "betting" || !table.isDealerPlaying || table.piles)
      return null;
    return {
      ...table,
      phase: "betting",
      turn: goal.turn,
      deadline: goal.deadline,
      paused: goal.paused,
      seats: goal.seats,
    };
  }

  /** @param {Pick<View, "table"|"you">} view */
  function updateStats(view) {
    drawStats(byId("figures"), {
      rules,
      mine: findSeat(view.table, view.you),
      rack: view.table.rack,
      hasChips: view.table.stack !== null,
      balance: shownBalance,
      you: view.you,
      now: clock.now(),
    });
  }

  return {
    lastStake: () => lastStake,
    /** By its key. */
    mentionBalance: () => announcer.mention(formatBalance()),
    /**
     * Reads out what the table waits for, and how long, by its key.
     * @param {Table} table @param {string|null} you
     */
    sayStatus(table, you) {
      const seconds = clock.getSecondsLeft();
      const main = [byId("status-main"), byId("status-sub")]
        .map(({ textContent }) => toSentence(textContent ?? ""))
        .filter(Boolean)
        .join(" ");
      const status = isAsked(table, you) ? questionCall(table, you, rules) : main;
      announcer.say(seconds === null ? status : `${status} ${formatSecondsLeft(seconds)}`);
    },
    /**
     * Apply a shown event to the shown balance; `mine` is my seat after it.
     * @param {EventFields} event @param {Seat|undefined} mine
     */
    applyMoney(event, mine) {
      if (shownBalance !== null && mine && event.seat === mine.seat)
        shownBalance += moneyToMe(event, mine);
    },
    /** Show the reason why my seat is lost. @param {Wire.Event[]} events @param {string|null} you */
    showSeatLost(events, you) {
      news = getSeatLostReason(events, you, rules) || news;
    },
    figures: updateStats,
    showStandings: matchPanel.open,
    /** @param {View} view */
    draw(view) {
      const { table, goal, isStepping, you, balance, waiting, barredUntil, answer, hint, plan } =
        view;
      const mine = findSeat(table, you);
      lastStake = mine?.stake || getBaseStake(mine?.hands[0]) || lastStake;
      if (!isStepping || shownBalance === null) shownBalance = balance; // The money must not tell how the round ends.
      saidBalance ??= shownBalance;
      updateStats(view);
      announcements.pause(goal, you);
      if (mine && !isStepping && findSeat(goal, you)) news = "";
      const isHeld = goal.paused !== null || Boolean(announcements.holds);
      const isInLine = !findSeat(goal, you) && findPlace(goal, you);
      const status = getStatus(isInLine ? { ...table, queue: goal.queue } : table, {
        you,
        rules,
        isStepping,
        isTouch: touches.matches,
        balance: shownBalance ?? 0,
        news,
        isHeld,
        barredUntil,
        answer,
        plan,
        canLogIn,
      });
      const offer = findSeat(goal, you) ? null : findOffer(goal, you);
      setText(byId("status-main"), status.main);
      setText(byId("status-sub"), status.sub);
      byId("console").dataset.tone = status.tone;
      const ahead = previewBetting(table, goal, isStepping);
      controls().draw({
        table: ahead ?? table,
        you,
        balance: shownBalance ?? 0,
        waiting: waiting || (isStepping && !ahead),
        isOver: !isStepping,
        isSending: waiting,
        isBarred: barredUntil > 0,
        goal,
        isHeld,
        hint,
        plan,
      });
      if (!isStepping) announcer.hint(hint);
      leave.draw(mine);
      gameResult?.draw(table, you);
      matchPanel.draw(goal, you, isStepping);
      const isMyTurn = isAsked(table, you);
      const isBetting = table.phase === "betting" || ahead !== null;
      setClasses(document.body, {
        "is-my-turn": isMyTurn,
        "is-seated": Boolean(mine),
        "is-betting": isBetting,
      });
      sheets.draw(isMyTurn, status.main);
      if (offer) clock.show(offer.until, OFFER_CLOCK);
      else clock.show(isStepping && !isMyTurn ? null : goal.deadline, goal.clock);
      const word = offer ? YOUR_SEAT : getTabText(table, you, mine);
      if (!isStepping || isMyTurn || offer || !word) tab.call(word);
      if (!word) notices.close();
      if (!word && !isAskedAgain(table, you, rules)) announcer.call(""); // Nobody reads it later as if it still held.
      if (offer) notifyTurn(offer.until, formatOfferCall(offer.seat));
      if (isStepping || offer) return;
      if (word === YOUR_TURN) notifyTurn(table.turn, questionCall(table, you, rules));
      else if (word === AGAIN) askAgain(table);
      else if (word === YOUR_BET) askToBet(table);
      else if (!isHeld && isAskedAgain(table, you, rules))
        announcer.callOnce(`${table.turn}/again`, AGAIN);
      sayBalance(table, mine);
    },
  };
}
