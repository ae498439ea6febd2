/** Everything around the board: figures, status, countdown, controls, the tab, and announcements for screen readers. */
import { byId, setClasses, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { baseStake, isAsked, isAskedAgain, isAwaited, seatOf } from "../model/table_model.js";
import { AGAIN, questionCall } from "../text/prompts.js";
import { parting } from "../text/seat_lost.js";
import { createSheets, drawFigures } from "./panels.js";
import { statusOf } from "./status_line.js";

/**
 * @import { Controls } from "../controls/controls.js"
 * @import { EventFields } from "../model/apply_event.js"
 * @import { Rules, Seat, Table } from "../model/table_model.js"
 * @import { HouseNews } from "../notices/announcements.js"
 * @import { Notices } from "../notices/desktop_notifications.js"
 * @import { Sound } from "../notices/sound.js"
 * @import { Tab } from "../notices/tab_title.js"
 * @import { Announcer } from "./announcer.js"
 * @import { Clock } from "./countdown.js"
 * @import { Leave } from "./panels.js"
 * @typedef {{table: Table, goal: Table, isStepping: boolean, you: string|null, balance: number|null, waiting: boolean}} View
 */

const YOUR_TURN = gettext("Your turn");
const YOUR_BET = gettext("Your bet");
const BET_NOTICE = gettext("Everyone else has bet. Place your bet.");

/** What an event at my seat brings me, or takes from me. @param {EventFields} event */
function moneyToMe({ type, stake = 0, payout = 0 }) {
  if (["bet_placed", "hand_doubled", "hand_split", "insurance_taken"].includes(type)) return -stake;
  if (type === "bet_returned") return stake;
  return type === "hand_settled" || type === "insurance_settled" ? payout : 0;
}

/**
 * @param {{rules: Rules, announcer: Announcer, clock: Clock, controls: () => Controls, leave: Leave, tab: Tab,
 *   notices: Notices, sound: Sound, houseNews: HouseNews}} parts
 */
export function createHud({
  rules,
  announcer,
  clock,
  controls,
  leave,
  tab,
  notices,
  sound,
  houseNews,
}) {
  /** @type {number|null} */
  let shownBalance = null;
  /** @type {number|null} */
  let lastStake = null;
  const sheets = createSheets();
  const touches = window.matchMedia("(hover: none)");
  let noticedTurn = 0;
  let news = "";

  /**
   * Once for each decision of the table: said, sounded, and shown to who looks elsewhere.
   * @param {number} turn @param {string} text
   */
  function callMe(turn, text) {
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

  /**
   * What the table waits for from me, in the words of the browser's tab; "" for nothing.
   * @param {Table} table @param {string|null} you @param {Seat|undefined} mine
   */
  function waitsFor(table, you, mine) {
    if (isAsked(table, you)) return YOUR_TURN;
    if (!mine || table.deadline === null || !isAwaited(table, mine)) return "";
    return isAskedAgain(table, you, rules) ? AGAIN : YOUR_BET;
  }

  /**
   * As soon as nobody is left to act, the next round can be bet on while the dealer still plays.
   * @param {Table} table @param {Table} goal @param {boolean} isStepping @returns {Table|null}
   */
  function aheadOf(table, goal, isStepping) {
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
  function figures(view) {
    drawFigures(byId("figures"), {
      rules,
      mine: seatOf(view.table, view.you),
      rack: view.table.rack,
      balance: shownBalance,
      you: view.you,
      now: clock.now(),
    });
  }

  return {
    lastStake: () => lastStake,
    /**
     * An event of the show, `mine` being my seat after it: the balance follows what is seen, not what is known.
     * @param {EventFields} event @param {Seat|undefined} mine
     */
    hear(event, mine) {
      if (shownBalance !== null && event.seat === mine?.seat) shownBalance += moneyToMe(event);
    },
    /** Why I have no seat any more. @param {Wire.Event[]} events @param {string|null} you */
    tellNews(events, you) {
      news = parting(events, you, rules) || news;
    },
    figures,
    /** @param {View} view */
    draw(view) {
      const { table, goal, isStepping, you, balance, waiting } = view;
      const mine = seatOf(table, you);
      lastStake = mine?.stake || baseStake(mine?.hands[0]) || lastStake;
      if (!isStepping || shownBalance === null) shownBalance = balance; // The money must not tell how the round ends.
      figures(view);
      houseNews.pause(goal);
      if (mine && !isStepping && seatOf(goal, you)) news = "";
      const isHeld = goal.paused !== null || Boolean(houseNews.holds);
      const status = statusOf(table, {
        you,
        rules,
        isStepping,
        isTouch: touches.matches,
        balance: shownBalance ?? 0,
        news,
        isHeld,
      });
      setText(byId("status-main"), status.main);
      setText(byId("status-sub"), status.sub);
      byId("console").dataset.tone = status.tone;
      const ahead = aheadOf(table, goal, isStepping);
      controls().draw({
        table: ahead ?? table,
        you,
        balance: shownBalance ?? 0,
        waiting: waiting || (isStepping && !ahead),
        isOver: !isStepping,
        isHeld,
      });
      leave.draw(mine);
      const isMyTurn = isAsked(table, you);
      const isBetting = table.phase === "betting" || ahead !== null;
      setClasses(document.body, {
        "is-my-turn": isMyTurn,
        "is-seated": Boolean(mine),
        "is-betting": isBetting,
      });
      sheets.draw(isMyTurn);
      clock.show(isStepping && !isMyTurn ? null : goal.deadline, goal.clock);
      const word = waitsFor(table, you, mine);
      if (!isStepping || isMyTurn || !word) tab.call(word);
      if (!word) notices.close();
      if (isStepping) return;
      if (word === YOUR_TURN) callMe(table.turn, questionCall(table, rules));
      else if (word === AGAIN) callMe(table.turn, AGAIN);
      else if (word === YOUR_BET && document.hidden) notice(table.turn, BET_NOTICE);
      else if (!isHeld && isAskedAgain(table, you, rules)) announcer.callOnce(table.turn, AGAIN);
    },
  };
}
