/** A match in words: its progress, who leads, and how it ended. */
import { gettext } from "../lib/i18n.js";
import { formatList, formatMoney } from "./format.js";

/**
 * @import { Table } from "../model/table_model.js"
 * @typedef {Wire.PublicMatch} Match
 */

/** A match needs this number of players. */
const FEWEST = 2;

/**
 * The round that is played or comes next: "Round 7 of 20"; the state where none is.
 * @param {Match} match @param {Table["phase"]} phase
 */
export function formatProgress({ kind, state, rounds, played }, phase) {
  if (state === "waiting") return gettext("Match, not started yet");
  if (state === "over" && kind === "duplicate") return gettext("All rounds played");
  if (state !== "running") return gettext("Match over");
  const round = phase === "playing" ? played + 1 : Math.min(played + 1, rounds ?? played + 1);
  return rounds
    ? gettext("Round %(round)s of %(rounds)s", { round, rounds })
    : gettext("Round %(round)s", { round });
}

/** Who leads with how much; "" before the first round. @param {Match} match @param {string|null} you */
export function formatLead({ played, standings, kind }, you) {
  if (!played || !standings.length || kind === "duplicate") return "";
  const leaders = standings.filter(({ place }) => place === 1);
  return formatLeaders(
    leaders.map(({ player }) => player),
    leaders[0].stack,
    you,
  );
}

/** @param {string[]} leaders @param {number} amount @param {string|null} you */
function formatLeaders(leaders, amount, you) {
  const stack = formatMoney(amount);
  if (leaders.length > 1)
    return gettext("%(names)s lead with %(stack)s each.", { names: formatList(leaders), stack });
  if (leaders[0] === you) return gettext("You lead with %(stack)s.", { stack });
  return gettext("%(who)s leads with %(stack)s.", { who: leaders[0], stack });
}

/**
 * The sentence after a round.
 * @param {Wire.MatchRoundEnded} event @param {string|null} you @param {boolean} isAlone of a duplicate match
 */
export function formatRoundEnded({ number: round, rounds, leaders, stack }, you, isAlone) {
  const number = rounds
    ? gettext("Round %(round)s of %(rounds)s is over.", { round, rounds })
    : gettext("Round %(round)s is over.", { round });
  const lead = isAlone
    ? gettext("You have %(stack)s.", { stack: formatMoney(stack) })
    : formatLeaders(leaders, stack, you);
  return `${number} ${lead}`;
}

/** @param {Wire.MatchStarted} event */
export function formatStarted({ rounds }) {
  return rounds
    ? gettext("The match begins: %(rounds)s rounds.", { rounds })
    : gettext("The match begins. It ends when one player is left.");
}

/**
 * Who has won.
 * @param {string[]} winners @param {string|null} you @param {boolean} isBrokenOff
 */
export function formatEnd(winners, you, isBrokenOff) {
  if (isBrokenOff) return gettext("The match was broken off. Nobody wins.");
  if (!winners.length) return gettext("You have played all rounds of the match.");
  if (winners.length > 1)
    return gettext("%(names)s share the first place.", { names: formatList(winners) });
  if (winners[0] === you) return gettext("You win the match!");
  return gettext("%(who)s wins the match.", { who: winners[0] });
}

/** The same of a match as it is. @param {Match} match @param {string|null} you */
export function formatResult({ kind, state, standings }, you) {
  const winners = standings.filter(({ place }) => place === 1).map(({ player }) => player);
  return formatEnd(kind === "duplicate" ? [] : winners, you, state === "broken_off");
}

/** Whether there are players enough to begin. @param {Table} table */
export function canStart({ seats }) {
  return seats.filter(({ player }) => player !== null).length >= FEWEST;
}

/**
 * The status line while no round of the match can begin; null in a running match.
 * @param {Table} table @param {string|null} you
 * @returns {{main: string, sub: string, tone: "ask"|"quiet"|"good"}|null}
 */
export function getMatchStatus(table, you) {
  const { match, maker } = table;
  if (!match || match.state === "running") return null;
  if (match.state !== "waiting") {
    const main = formatResult(match, you);
    const isFirst = match.standings.some(({ place, player }) => place === 1 && player === you);
    const hasWon = isFirst && match.kind !== "duplicate"; // where the others may still play
    return { main, sub: "", tone: hasWon && match.state === "over" ? "good" : "quiet" };
  }
  if (!canStart(table))
    return {
      main: gettext("Waiting for players"),
      sub: gettext("A match needs two players at least."),
      tone: "quiet",
    };
  if (maker !== null && maker === you)
    return {
      main: gettext("Start the match when everyone is here"),
      sub: gettext("From then on nobody else can join."),
      tone: "ask",
    };
  return {
    main: maker
      ? gettext("Waiting for %(name)s to start the match", { name: maker })
      : gettext("Waiting for the start of the match"),
    sub: "",
    tone: "quiet",
  };
}
