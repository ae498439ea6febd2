/** The one line above the buttons: what happened, and whom the table waits for. */
import { asksAgain, asksInsurance, seatOf } from "./model.js";
import { gameResult } from "./piles.js";
import { AGAIN, AGAIN_HURRY, question } from "./questions.js";
import { isLost, isWon, roundNet, roundResult } from "./results.js";
import { capital, listed, money, theDealer } from "./words.js";

/**
 * @typedef {{main: string, sub: string, tone: "turn"|"ask"|"good"|"bad"|"quiet", next?: string}} Status
 *   `next`: what to say instead of `main` under the result of the last round.
 *
 * @param {import("./model.js").Table} table
 * @param {{you: string|null, rules: object, isStepping: boolean, balance: number|null, news: string}} viewer
 * @returns {Status}
 */
export function statusOf(table, viewer) {
  const mine = seatOf(table, viewer.you);
  if (!mine && viewer.news) {
    const hasFree = table.seats.some((seat) => seat.player === null);
    return { main: viewer.news, sub: hasFree ? "Take a free seat to play on." : "", tone: "ask" };
  }
  const waiting = table.phase === "playing" ? inPlay(table, mine, viewer) : betting(table, mine, viewer);
  const result = mine ? roundResult(mine, table.dealer, viewer.rules) : null;
  if (!result || waiting.tone === "turn" || mine.stake !== null) return waiting;
  if (table.piles?.game_over) return ofGame(table.piles, mine.player, result);
  return { main: result, sub: waiting.next ?? waiting.main, tone: toneOf(mine, viewer.rules) };
}

/** A game of piles is over: its result, and that of its last hand. */
function ofGame(piles, you, result) {
  const tone = { player: "good", house: "bad", draw: "quiet" }[piles.winner];
  return { main: gameResult(piles, you, you), sub: result, tone };
}

function toneOf(seat, rules) {
  const net = rules.stakes ? roundNet(seat) : Number(isWon(seat.hands[0])) - Number(isLost(seat.hands[0]));
  return net === 0 ? "quiet" : net > 0 ? "good" : "bad";
}

function inPlay(table, mine, { rules, isStepping }) {
  const isWatching = mine && !mine.hands.length && mine.stake === null;
  const sub = isWatching ? whileOthersPlay(mine, rules) : "";
  if (table.isDealerPlaying) return { main: `${capital(theDealer(rules))} plays`, next: rules.piles ? "" : undefined, sub, tone: "quiet" };
  if (!table.asked) return { main: isStepping ? "Dealing" : "One moment", sub, tone: "quiet" };
  const asked = table.seats[table.asked.seat - 1];
  if (asked === mine) return { ...question(table, rules), tone: "turn" };
  const name = asked.player ?? `Seat ${asked.seat}`;
  if (asksInsurance(table)) return { main: `${name} is asked about insurance`, sub, tone: "quiet" };
  return { main: `${name}'s turn`, sub, tone: "quiet", next: `${name} is still playing.` };
}

function whileOthersPlay({ missed }, rules) {
  if (!rules.stakes) return "You can play in the next round.";
  return missed ? "You missed the bets. Miss the next ones too, and your seat is given up." : "You can bet on the next round.";
}

function betting(table, mine, viewer) {
  const hasFree = table.seats.some((seat) => seat.player === null);
  if (!mine) {
    if (viewer.you === null) return { main: "You are watching", sub: hasFree ? "Log in to take a free seat." : "Every seat is taken just now.", tone: "quiet" };
    return hasFree
      ? { main: "Take a free seat", sub: "Or watch for a while.", tone: "quiet" }
      : { main: "You are watching", sub: "Every seat is taken just now.", tone: "quiet" };
  }
  if (mine.stake === null) return asking(table, mine, viewer);
  const late = table.seats.filter((seat) => seat.player !== null && seat.stake === null && !seat.leaving);
  const down = viewer.rules.stakes ? `Your ${money(mine.stake)} is down.` : "You are in.";
  return { main: late.length ? `Waiting for ${listed(late.map((seat) => seat.player))}` : "The cards are coming", sub: down, tone: "quiet" };
}

/** What is asked of me between two rounds. */
function asking(table, mine, { rules, balance }) {
  if (rules.piles) return betweenHands(table.piles);
  const isHurried = table.deadline !== null;
  if (asksAgain(table, mine, rules)) {
    const next = isHurried ? `${AGAIN} ${AGAIN_HURRY}` : AGAIN;
    return { main: AGAIN, next, sub: isHurried ? AGAIN_HURRY : "", tone: "ask" };
  }
  const hurry = isHurried ? "The cards fall when the clock runs out." : "";
  if (!rules.stakes) return { main: "Are you in?", next: "Another round?", sub: hurry, tone: "ask" };
  if (balance < rules.stakes.minimum) {
    const main = `The least stake here is ${money(rules.stakes.minimum)}, and you have ${money(balance)}`;
    return { main, next: `${main}.`, sub: "Tables without stakes are in the lobby.", tone: "quiet" };
  }
  return { main: "Place your stake", next: "Place your stake for the next round.", sub: hurry, tone: "ask" };
}

function betweenHands({ player, house, discard, game_over: isOver }) {
  const isNew = isOver || player + house + discard === 0;
  const sub = isNew ? "One deck, played through: the larger pile wins." : "";
  return { main: isNew ? "A new game" : "The game goes on", next: "", sub, tone: "ask" };
}
