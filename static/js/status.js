/** The one line above the buttons: what happened, and whom the table waits for. */
import { seatOf } from "./model.js";
import { dealerTotal, handTotal, listed, money, ordinal, roundResult } from "./words.js";

/**
 * @param {import("./model.js").Table} table
 * @param {{you: string|null, rules: object, isStepping: boolean, balance: number|null, news: string}} viewer
 * @returns {{main: string, sub: string, tone: "turn"|"ask"|"good"|"bad"|"quiet", next?: string}}
 */
export function statusOf(table, viewer) {
  const mine = seatOf(table, viewer.you);
  const result = mine ? roundResult(mine.hands, table.dealer, viewer.rules) : null;
  if (!mine && viewer.news) {
    const hasFree = table.seats.some((seat) => seat.player === null);
    return { main: viewer.news, sub: hasFree ? "Take a free seat to play on." : "", tone: "ask" };
  }
  const waiting = table.phase === "playing" ? inPlay(table, mine, viewer) : betting(table, mine, viewer);
  if (!result || waiting.tone === "turn") return waiting;
  if (mine.stake !== null) return waiting;
  return { main: result, sub: waiting.next ?? waiting.main, tone: toneOf(mine.hands) };
}

function toneOf(hands) {
  const won = hands.filter((hand) => hand.outcome === "win" || hand.outcome === "blackjack").length;
  const lost = hands.filter((hand) => hand.outcome === "lose" || hand.outcome === "bust").length;
  if (won === lost) return "quiet";
  return won > lost ? "good" : "bad";
}

function inPlay(table, mine, { isStepping }) {
  const isWatching = mine && !mine.hands.length && mine.stake === null;
  const missed = mine?.missed ? "You missed the bets. Miss the next ones too, and your seat is given up." : "You can bet on the next round.";
  const sub = isWatching ? missed : "";
  if (table.isDealerPlaying) return { main: "The dealer plays", sub, tone: "quiet" };
  if (!table.asked) return { main: isStepping ? "Dealing" : "One moment", sub, tone: "quiet" };
  const { seat, hand } = table.asked;
  const asked = table.seats[seat - 1];
  if (asked !== mine) {
    return { main: `${asked.player ?? `Seat ${seat}`}'s turn`, sub, tone: "quiet", next: `${asked.player ?? `Seat ${seat}`} is still playing.` };
  }
  const which = mine.hands.length > 1 ? ` – ${ordinal(hand)} hand` : "";
  return {
    main: `Your turn${which}`,
    sub: `${handTotal(table, seat, hand)} against the dealer's ${dealerTotal(table)}`,
    tone: "turn",
  };
}

function betting(table, mine, { you, rules, balance }) {
  const hasFree = table.seats.some((seat) => seat.player === null);
  if (!mine) {
    if (you === null) return { main: "You are watching", sub: hasFree ? "Log in to take a free seat." : "Every seat is taken just now.", tone: "quiet" };
    return hasFree
      ? { main: "Take a free seat", sub: "Or watch for a while.", tone: "quiet" }
      : { main: "You are watching", sub: "Every seat is taken just now.", tone: "quiet" };
  }
  if (mine.stake === null) {
    const isHurried = table.deadline !== null;
    if (rules.stakes && balance < rules.stakes.minimum) {
      const main = `The least stake here is ${money(rules.stakes.minimum)}, and you have ${money(balance)}`;
      return { main, next: `${main}.`, sub: "Tables without stakes are in the lobby.", tone: "quiet" };
    }
    const main = rules.stakes ? "Place your stake" : "Are you in?";
    const next = rules.stakes ? "Place your stake for the next round." : "Another round?";
    return { main, next, sub: isHurried ? "The cards fall when the clock runs out." : "", tone: "ask" };
  }
  const late = table.seats.filter((seat) => seat.player !== null && seat.stake === null && !seat.leaving);
  const down = rules.stakes ? `Your ${money(mine.stake)} is down.` : "You are in.";
  return { main: late.length ? `Waiting for ${listed(late.map((seat) => seat.player))}` : "The cards are coming", sub: down, tone: "quiet" };
}
