/** The status line above the buttons: what happened, and the player that the table waits for. */

import { gettext, ngettext } from "../lib/i18n.js";
import {
  asksAgain,
  asksInsurance,
  findAsked,
  findPlace,
  findSeat,
  getPiles,
  hasFreeSeat,
  isAwaited,
  isLockedFor,
  isTooLittle,
} from "../model/table_model.js";
import { formatOwnBacking } from "../text/behind.js";
import { formatList, formatMoney } from "../text/format.js";
import { insuranceAnswer } from "../text/insurance.js";
import { formatLead, getMatchStatus } from "../text/match.js";
import { formatRoundResult, isLost, isWon, roundNet } from "../text/outcomes.js";
import { AGAIN, AGAIN_HURRY, MISSED, question } from "../text/prompts.js";
import { formatFull, formatOffer, formatPlace } from "../text/queue.js";
import { formatTime } from "../text/time_of_day.js";

/**
 * @import { Piles, Place, Rules, Seat, Table } from "../model/table_model.js"
 * @typedef {{you: string|null, rules: Rules, isStepping: boolean, isTouch: boolean, balance: number, news: string, isHeld: boolean,
 *   barredUntil: number, answer: Wire.You["insurance"], plan?: Wire.Plan|null, canLogIn?: boolean}} Viewer
 */

const WATCHING = gettext("You are watching");
const LOG_IN = gettext("Log in to take a seat.");
/** What I have decided ahead. @type {Record<Wire.Plan, string>} */
export const PLANNED = {
  stand: gettext("You stand when your turn comes."),
  hit_to_17: gettext("You hit to hard 17 when your turn comes."),
  best: gettext("Best play when your turn comes."),
};
const SITS_OUT = gettext("You sit out");
const SKIP = gettext("Tap the table to skip ahead.");
const PAUSED = gettext("The table is paused");
const MAINTENANCE = gettext("The site is under maintenance");

/** In letters: two lines of a phone have room for it. */
const LONGEST_NAMES = 28;
/** With others in line, the server frees the seat with this round. */
const MOST_ROUNDS_OUT = 5;

/**
 * @typedef {{main: string, sub: string, tone: "turn"|"ask"|"good"|"bad"|"quiet", next?: string}} Status
 *   `next`: the text instead of `main` under the result of the last round.
 *
 * @param {Table} table
 * @param {Viewer} viewer
 *   `isHeld`: no bets now; an announcement above the table has the reason. `barredUntil`: when I may sit
 *   down again, or 0. `answer`: mine about insurance, if I remember. `canLogIn`: a frozen player cannot
 * @returns {Status}
 */
export function getStatus(table, viewer) {
  const mine = findSeat(table, viewer.you);
  const place = mine ? null : findPlace(table, viewer.you);
  if (place) return getQueueStatus(place, table, viewer);
  const backing = mine ? null : formatOwnBacking(table, viewer.you);
  if (!mine && viewer.news) {
    const sub = getBarText(viewer) || getWayBack(table, viewer);
    return addBacking({ main: viewer.news, sub, tone: "ask" }, backing);
  }
  const waiting =
    table.phase === "playing"
      ? getPlayStatus(table, mine, viewer)
      : getBettingStatus(table, mine, viewer);
  if (backing) return addBacking(waiting, backing);
  if (table.match && table.match.state !== "running" && table.phase === "betting") return waiting;
  const result = mine ? formatRoundResult(mine, table.dealer, viewer.rules) : null;
  if (!mine || !result || waiting.tone === "turn" || mine.stake !== null) return waiting;
  const tone = getTone(mine, viewer.rules);
  // Of piles, this is the result of the last hand: that of the game is on the felt.
  if (table.piles?.game_over) return { main: result, sub: gettext("The game is over."), tone };
  return { main: result, sub: waiting.next ?? waiting.main, tone };
}

/**
 * What I have bet behind, after what the table waits for; its result before that.
 * @param {Status} waiting @param {{text: string, net: number|null}|null} backing @returns {Status}
 */
function addBacking(waiting, backing) {
  if (!backing) return waiting;
  const { text, net } = backing;
  if (net === null) return { main: waiting.main, sub: text, tone: waiting.tone };
  const tone = net === 0 ? "quiet" : net > 0 ? "good" : "bad";
  return { main: text, sub: waiting.main, tone };
}

/** I am in line, or a seat is offered to me. @param {Place} place @param {Table} table @param {Viewer} viewer @returns {Status} */
function getQueueStatus(place, table, viewer) {
  if (place.seat !== null)
    return {
      main: formatOffer(place.seat),
      sub: gettext("If you don't take it in time, the next one is asked."),
      tone: "ask",
    };
  const { main } =
    table.phase === "playing"
      ? getPlayStatus(table, undefined, viewer)
      : getBettingStatus(table, undefined, viewer);
  return { main: formatPlace(place), sub: main === WATCHING ? "" : main, tone: "quiet" };
}

/** How I can play on after I have lost my seat. @param {Table} table @param {Viewer} viewer */
function getWayBack(table, { you, rules, balance }) {
  if (isTooLittle(table, rules, balance)) return gettext("You need more chips to play on.");
  return hasFreeSeat(table, you) ? gettext("Take a free seat to play on.") : "";
}

/** When I may sit down here again; "" if I may now. @param {Viewer} viewer */
function getBarText({ barredUntil }) {
  if (!barredUntil) return "";
  const time = formatTime(barredUntil);
  return gettext("You can sit down here again at %(time)s.", { time });
}

/** @param {Seat} seat @param {Rules} rules */
function getTone(seat, rules) {
  const net = rules.stakes
    ? roundNet(seat)
    : Number(isWon(seat.hands[0])) - Number(isLost(seat.hands[0]));
  return net === 0 ? "quiet" : net > 0 ? "good" : "bad";
}

/** @param {Table} table @param {Seat|undefined} mine @param {Viewer} viewer @returns {Status} */
function getPlayStatus(table, mine, { you, rules, isStepping, isTouch, answer, plan }) {
  const isWatching = mine && !mine.hands.length && mine.stake === null;
  const skip = isStepping && isTouch ? SKIP : "";
  const sub = isWatching ? getWaitingStatus(mine, table, rules) : plan ? PLANNED[plan] : skip;
  if (table.isDealerPlaying)
    return {
      main: gettext("The dealer plays"),
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
  if (mine && findAsked(table, mine.seat)) return { ...question(table, you, rules), tone: "turn" };
  if (asksInsurance(table)) return whileOthersInsure(table, mine, sub, { rules, answer });
  const seat = table.seats[table.asked.seat - 1];
  const name = seat.player ?? gettext("Seat %(number)s", { number: seat.seat });
  return {
    main: gettext("%(name)s's turn", { name }),
    sub,
    tone: "quiet",
    next: gettext("%(name)s is still playing.", { name }),
  };
}

/**
 * Others are asked about insurance: I have answered, or am not in the round.
 * @param {Table} table @param {Seat|undefined} mine @param {string} sub
 * @param {Pick<Viewer, "rules"|"answer">} viewer @returns {Status}
 */
function whileOthersInsure(table, mine, sub, { rules, answer }) {
  const late = table.insurance.map(({ seat }) => table.seats[seat - 1].player ?? "");
  if (mine?.answered) {
    return {
      main: gettext("Waiting for %(names)s", { names: nameAwaited(late) }),
      sub: insuranceAnswer(mine.hands[0], answer, rules),
      tone: "quiet",
    };
  }
  const all = table.seats.filter(({ hands }) => hands.length).length;
  const main = gettext("Insurance: %(decided)s of %(all)s have decided", {
    decided: all - late.length,
    all,
  });
  return { main, sub, tone: "quiet" };
}

/** @param {Seat} seat @param {Table} table @param {Rules} rules */
function getWaitingStatus(seat, table, rules) {
  if (seat.sitting_out) return `${SITS_OUT}. ${formatOutLimit(seat, table)}`.trim();
  const { missed } = seat;
  if (!rules.stakes) return gettext("You can play in the next round.");
  return missed ? MISSED : gettext("You can bet on the next round.");
}

/** How long I can sit out, if others wait for a seat. @param {Seat} seat @param {Table} table */
function formatOutLimit({ rounds_out: rounds }, { queue }) {
  if (!queue.length) return "";
  const remaining = MOST_ROUNDS_OUT - rounds;
  return ngettext(
    "Others wait for a seat: yours is kept for %(left)s more round.",
    "Others wait for a seat: yours is kept for %(left)s more rounds.",
    remaining,
    { left: remaining },
  );
}

/** @param {Table} table @param {Viewer} viewer @returns {Status} */
function getWatchingStatus(table, viewer) {
  if (hasFreeSeat(table, viewer.you)) {
    return viewer.you === null
      ? { main: WATCHING, sub: viewer.canLogIn ? LOG_IN : "", tone: "quiet" }
      : {
          main: gettext("Take a free seat"),
          sub: isTooLittle(table, viewer.rules, viewer.balance)
            ? gettext("You need more chips to play.")
            : gettext("Or just watch."),
          tone: "quiet",
        };
  }
  if (table.match)
    return { main: WATCHING, sub: formatLead(table.match, viewer.you), tone: "quiet" };
  const isLocked = isLockedFor(table, viewer.you);
  const sub = isLocked
    ? gettext("The table is locked. Nobody new can sit down.")
    : formatFull(table);
  return { main: WATCHING, sub, tone: "quiet" };
}

/** @param {Table} table @param {Seat|undefined} mine @param {Viewer} viewer @returns {Status} */
function getBettingStatus(table, mine, viewer) {
  const ofMatch = getMatchStatus(table, viewer.you);
  if (ofMatch) return ofMatch;
  if (viewer.isHeld && (!mine || mine.stake === null)) return getHeldStatus(table, mine);
  if (!mine) return getWatchingStatus(table, viewer);
  if (mine.sitting_out && mine.stake === null) {
    const limit = formatOutLimit(mine, table);
    const sub = limit || gettext("Your seat is kept. Bets are not asked.");
    // Under a result of two lines a phone has room for one.
    return { main: SITS_OUT, next: `${SITS_OUT}. ${limit}`.trim(), sub, tone: "quiet" };
  }
  if (mine.stake === null) return getDecisionStatus(table, mine, viewer);
  const late = table.seats.filter((seat) => isAwaited(table, seat));
  const names = nameAwaited(late.map((seat) => seat.player ?? ""));
  const down = viewer.rules.stakes
    ? gettext("You've bet %(stake)s.", { stake: formatMoney(mine.stake) })
    : gettext("You are in.");
  return {
    main: late.length ? gettext("Waiting for %(names)s", { names }) : gettext("Dealing next"),
    sub: down,
    tone: "quiet",
  };
}

/** Players that the table waits for; their number, if the names are long. @param {string[]} names */
function nameAwaited(names) {
  const words = formatList(names);
  if (names.length < 2 || words.length <= LONGEST_NAMES) return words;
  return gettext("%(count)s players", { count: names.length });
}

/** No bet is taken now. @param {Table} table @param {Seat|undefined} mine @returns {Status} */
function getHeldStatus({ paused }, mine) {
  const main = paused === null ? MAINTENANCE : PAUSED;
  return { main, next: `${main}.`, sub: mine ? gettext("Your seat is kept.") : "", tone: "quiet" };
}

/**
 * My decision between two rounds.
 * @param {Table} table @param {Seat} mine @param {Viewer} viewer @returns {Status}
 */
function getDecisionStatus(table, mine, { you, rules, balance }) {
  if (rules.piles) return getPilesStatus(getPiles(table));
  const isHurried = table.deadline !== null;
  if (asksAgain(table, mine, rules)) {
    const next = isHurried ? `${AGAIN} ${AGAIN_HURRY}` : AGAIN;
    return { main: AGAIN, next, sub: isHurried ? AGAIN_HURRY : "", tone: "ask" };
  }
  const lead = table.match ? formatLead(table.match, you) : "";
  const hurry = isHurried ? gettext("Cards are dealt when everyone has bet or time is up.") : "";
  if (!rules.stakes)
    return {
      main: gettext("Play this round?"),
      next: gettext("Another round?"),
      sub: isHurried ? gettext("Cards are dealt when everyone is in or time is up.") : "",
      tone: "ask",
    };
  if (balance < rules.stakes.minimum) {
    const values = { least: formatMoney(rules.stakes.minimum), balance: formatMoney(balance) };
    const main = gettext("The minimum bet here is %(least)s, and you have %(balance)s", values);
    return {
      main,
      next: `${main}.`,
      sub: "",
      tone: "quiet",
    };
  }
  if (rules.matched && mine.hands.length)
    return {
      main: AGAIN,
      next: gettext("Play again? Bet, or leave."),
      sub: hurry,
      tone: "ask",
    };
  return {
    main: gettext("Place your bet"),
    next: lead || gettext("Place your bet for the next round."),
    sub: lead || hurry,
    tone: "ask",
  };
}

/** @param {Piles} piles @returns {Status} */
function getPilesStatus({ player, house, discard, game_over: isOver }) {
  const isNew = isOver || player + house + discard === 0;
  const sub = isNew ? gettext("One deck, no reshuffle. The larger pile wins.") : "";
  return {
    main: isNew ? gettext("A new game") : gettext("The game continues"),
    next: "",
    sub,
    tone: "ask",
  };
}
