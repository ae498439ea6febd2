/** The status line above the buttons: what happened, and the player that the table waits for. */

import { gettext } from "../lib/i18n.js";
import {
  asksAgain,
  asksInsurance,
  isAwaited,
  isLockedFor,
  pilesOf,
  seatOf,
} from "../model/table_model.js";
import { byDealer, listed, money } from "../text/format.js";
import { isLost, isWon, roundNet, roundResult } from "../text/outcomes.js";
import { gameResult } from "../text/piles.js";
import { AGAIN, AGAIN_HURRY, question } from "../text/prompts.js";

/**
 * @import { Piles, Rules, Seat, Table } from "../model/table_model.js"
 * @typedef {{you: string|null, rules: Rules, isStepping: boolean, isTouch: boolean, balance: number, news: string, isHeld: boolean}} Viewer
 */

/** @type {Record<Wire.Winner, Status["tone"]>} */
const TONES = { player: "good", house: "bad", draw: "quiet" };
const WATCHING = gettext("You are watching");
const SKIP = gettext("Tap the table to skip ahead.");
const PAUSED = gettext("The table is paused");
const MAINTENANCE = gettext("The site is under maintenance");

/**
 * @typedef {{main: string, sub: string, tone: "turn"|"ask"|"good"|"bad"|"quiet", next?: string}} Status
 *   `next`: what to say instead of `main` under the result of the last round.
 *
 * @param {Table} table
 * @param {Viewer} viewer
 *   `isHeld`: no bet is taken now; the house says why above the table
 * @returns {Status}
 */
export function statusOf(table, viewer) {
  const mine = seatOf(table, viewer.you);
  if (!mine && viewer.news) {
    const hasFree = hasFreeSeat(table, viewer);
    return {
      main: viewer.news,
      sub: hasFree ? gettext("Take a free seat to play on.") : "",
      tone: "ask",
    };
  }
  const waiting =
    table.phase === "playing" ? inPlay(table, mine, viewer) : betting(table, mine, viewer);
  const result = mine ? roundResult(mine, table.dealer, viewer.rules) : null;
  if (!mine || !result || waiting.tone === "turn" || mine.stake !== null) return waiting;
  if (table.piles?.game_over) return ofGame(table.piles, mine.player, result);
  return { main: result, sub: waiting.next ?? waiting.main, tone: toneOf(mine, viewer.rules) };
}

/**
 * A game of piles is over: its result, and that of its last hand.
 * @param {Piles} piles @param {string|null} you @param {string} result @returns {Status}
 */
function ofGame(piles, you, result) {
  const tone = TONES[piles.winner ?? "draw"];
  return { main: gameResult(piles, you, you), sub: result, tone };
}

/** @param {Seat} seat @param {Rules} rules */
function toneOf(seat, rules) {
  const net = rules.stakes
    ? roundNet(seat)
    : Number(isWon(seat.hands[0])) - Number(isLost(seat.hands[0]));
  return net === 0 ? "quiet" : net > 0 ? "good" : "bad";
}

/** @param {Table} table @param {Seat|undefined} mine @param {Viewer} viewer @returns {Status} */
function inPlay(table, mine, { rules, isStepping, isTouch }) {
  const isWatching = mine && !mine.hands.length && mine.stake === null;
  const skip = isStepping && isTouch ? SKIP : "";
  const sub = isWatching ? whileOthersPlay(mine, rules) : skip;
  if (table.isDealerPlaying)
    return {
      main: byDealer(rules, gettext("The dealer plays"), gettext("The dealer plays")),
      next: rules.piles ? "" : undefined,
      sub,
      tone: "quiet",
    };
  if (!table.asked)
    return {
      main: isStepping ? gettext("Dealing") : gettext("One moment, please"),
      sub,
      tone: "quiet",
    };
  const asked = table.seats[table.asked.seat - 1];
  if (asked === mine) return { ...question(table, rules), tone: "turn" };
  const name = asked.player ?? gettext("Seat %(number)s", { number: asked.seat });
  if (asksInsurance(table))
    return { main: gettext("%(name)s is deciding on insurance", { name }), sub, tone: "quiet" };
  return {
    main: gettext("%(name)s's turn", { name }),
    sub,
    tone: "quiet",
    next: gettext("%(name)s is still playing.", { name }),
  };
}

/** @param {Seat} seat @param {Rules} rules */
function whileOthersPlay({ missed }, rules) {
  if (!rules.stakes) return gettext("You can play in the next round.");
  return missed
    ? gettext("You missed this round. Miss one more and you'll lose your seat.")
    : gettext("You can bet on the next round.");
}

/** @param {Table} table @param {Viewer} viewer */
function hasFreeSeat(table, { you }) {
  return !isLockedFor(table, you) && table.seats.some((seat) => seat.player === null);
}

/** @param {Table} table @param {Viewer} viewer @returns {Status} */
function watching(table, viewer) {
  if (hasFreeSeat(table, viewer)) {
    return viewer.you === null
      ? { main: WATCHING, sub: gettext("Log in to take a seat."), tone: "quiet" }
      : { main: gettext("Take a free seat"), sub: gettext("Or just watch."), tone: "quiet" };
  }
  const isLocked = isLockedFor(table, viewer.you);
  const sub = isLocked
    ? gettext("The table is locked. Nobody new can sit down.")
    : gettext("Every seat is taken.");
  return { main: WATCHING, sub, tone: "quiet" };
}

/** @param {Table} table @param {Seat|undefined} mine @param {Viewer} viewer @returns {Status} */
function betting(table, mine, viewer) {
  if (viewer.isHeld && (!mine || mine.stake === null)) return held(table, mine);
  if (!mine) return watching(table, viewer);
  if (mine.stake === null) return asking(table, mine, viewer);
  const late = table.seats.filter((seat) => isAwaited(table, seat));
  const names = listed(late.map((seat) => seat.player ?? ""));
  const down = viewer.rules.stakes
    ? gettext("You've bet %(stake)s.", { stake: money(mine.stake) })
    : gettext("You are in.");
  return {
    main: late.length ? gettext("Waiting for %(names)s", { names }) : gettext("Dealing next"),
    sub: down,
    tone: "quiet",
  };
}

/** No bet is taken now. @param {Table} table @param {Seat|undefined} mine @returns {Status} */
function held({ paused }, mine) {
  const main = paused === null ? MAINTENANCE : PAUSED;
  return { main, next: `${main}.`, sub: mine ? gettext("Your seat is kept.") : "", tone: "quiet" };
}

/**
 * What is asked of me between two rounds.
 * @param {Table} table @param {Seat} mine @param {Viewer} viewer @returns {Status}
 */
function asking(table, mine, { rules, balance }) {
  if (rules.piles) return betweenHands(pilesOf(table));
  const isHurried = table.deadline !== null;
  if (asksAgain(table, mine, rules)) {
    const next = isHurried ? `${AGAIN} ${AGAIN_HURRY}` : AGAIN;
    return { main: AGAIN, next, sub: isHurried ? AGAIN_HURRY : "", tone: "ask" };
  }
  const hurry = isHurried ? gettext("Cards are dealt when everyone has bet or time is up.") : "";
  if (!rules.stakes)
    return {
      main: gettext("Play this round?"),
      next: gettext("Another round?"),
      sub: hurry,
      tone: "ask",
    };
  if (balance < rules.stakes.minimum) {
    const values = { least: money(rules.stakes.minimum), balance: money(balance) };
    const main = gettext("The minimum bet here is %(least)s, and you have %(balance)s", values);
    return {
      main,
      next: `${main}.`,
      sub: gettext("You can play without chips at a table in the lobby."),
      tone: "quiet",
    };
  }
  return {
    main: gettext("Place your bet"),
    next: gettext("Place your bet for the next round."),
    sub: hurry,
    tone: "ask",
  };
}

/** @param {Piles} piles @returns {Status} */
function betweenHands({ player, house, discard, game_over: isOver }) {
  const isNew = isOver || player + house + discard === 0;
  const sub = isNew ? gettext("One deck, no reshuffle. The larger pile wins.") : "";
  return {
    main: isNew ? gettext("A new game") : gettext("The game continues"),
    next: "",
    sub,
    tone: "ask",
  };
}
