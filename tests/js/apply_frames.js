/** Applies the events of recorded frames: what differs from the table that each frame brings, as JSON. */
import { readFileSync } from "node:fs";
import { applyEvent, applyMissed, undoRound } from "../../static/js/model/apply_event.js";
import { copyTable, readTable } from "../../static/js/model/table_model.js";

/** @import { Table } from "../../static/js/model/table_model.js" */

/** What events lead to; the rest (clocks, questions, presence) only the frame says. @param {Table} table */
const seen = ({ seats, dealer, shoe, rack }) => ({
  dealer: [dealer.cards, dealer.total],
  left: shoe?.left,
  rack,
  seats: seats.map(({ player, stake, hands, insurance }) => [
    player,
    stake,
    insurance?.stake ? insurance : null,
    hands.map(({ cards, total, stake: staked, doubled, outcome, payout }) => [
      cards,
      total,
      staked,
      doubled,
      outcome,
      payout,
    ]),
  ]),
});

/**
 * The events alone, as a page gets those that it has missed: which cards lie where.
 * @param {string} name @param {Pick<Wire.Changed, "events"|"table">[]} tables
 */
function compareWithoutTables(name, [first, ...rest]) {
  const told = copyTable(readTable(first.table));
  /** @param {Table} table */
  const cards = ({ seats, dealer }) =>
    JSON.stringify([
      dealer.cards,
      seats.map(({ player, hands }) => [player, hands.map((hand) => hand.cards)]),
    ]);
  for (const { events, table } of rest) {
    applyMissed(told, { round: table.number, events }, () => {});
    const [found, expected] = [told, readTable(table)].map(cards);
    if (found !== expected)
      differences.push({
        name,
        alone: true,
        events: events.map(({ type }) => type),
        found,
        expected,
      });
  }
}

/**
 * The events of the last round, on a page that was opened at that moment: which hands they lead to.
 * @param {string} name @param {Pick<Wire.Changed, "events"|"table">[]} tables
 */
function compareOpenedPages(name, [first, ...rest]) {
  /** @type {Wire.Event[][]} */
  let changes = [];
  let { round, phase } = first.table;
  /** @param {Table} table */
  const hands = (table) => {
    const { dealer, seats } = seen(table);
    return JSON.stringify([dealer, seats.map((seat) => seat.at(-1))]);
  };
  for (const { events, table } of rest) {
    changes.push(events);
    const isOver = table.phase === "betting" && (phase === "playing" || table.round !== round);
    if (table.phase === "playing" || isOver) {
      const missed = changes.map((one) => ({ round: table.number, events: one }));
      const told = undoRound(readTable(table), missed);
      for (const one of missed) applyMissed(told, one, () => {});
      const [found, expected] = [told, readTable(table)].map(hands);
      if (found !== expected) differences.push({ name, opened: true, changes, found, expected });
    }
    if (isOver) changes = [];
    ({ round, phase } = table);
  }
}

/** @type {object[]} */
const differences = [];
/** @type {{name: string, tables: Pick<Wire.Changed, "events"|"table">[]}[]} */
const games = JSON.parse(readFileSync(0, "utf8"));
for (const { name, tables } of games) {
  compareWithoutTables(name, tables);
  compareOpenedPages(name, tables);
  let before = readTable(tables[0].table);
  for (const { events, table } of tables.slice(1)) {
    const goal = readTable(table);
    const stepped = copyTable(before);
    events.forEach((event) => applyEvent(stepped, event));
    const [found, expected] = [seen(stepped), seen(goal)].map((one) => JSON.stringify(one));
    if (found !== expected)
      differences.push({ name, events: events.map(({ type }) => type), found, expected });
    before = goal;
  }
}
console.log(JSON.stringify(differences));
