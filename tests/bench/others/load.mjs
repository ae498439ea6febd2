// Plays at tables of ours and of others, all from this one process. Reads orders from its input,
// one JSON object a line, and answers each with one:
//   {"open": "house", "kind": "ours", "url": "http://…", "tables": [{"id": 1, "players": ["…"]}]}
//   {"play": "house", "tables": 20, "seconds": 3}: so many of its tables, an action after the other
//   {"close": "house"}: end its sockets

import { createInterface } from 'node:readline';
import { BoardgameIoTable, OurTable, SocketIoTable } from './tables.mjs';

const KINDS = { ours: OurTable, 'socket.io': SocketIoTable, 'boardgame.io': BoardgameIoTable };
const opened = new Map();

async function open({ open: name, kind, url, tables }) {
  const made = [];
  for (const { id, players } of tables) {
    const table = new KINDS[kind]();
    await table.open(url, id, players);
    made.push(table);
  }
  opened.set(name, made);
  return {};
}

/** Every round that was begun is ended; what is done after the time is up is not counted. */
async function keepActing(table, until, times) {
  let late = 0;
  while (performance.now() < until || !table.isBetweenRounds) {
    const began = performance.now();
    await table.act();
    const ended = performance.now();
    if (ended <= until) {
      times.push(ended - began);
    } else {
      late += 1;
    }
  }
  return late;
}

async function play({ play: name, tables: number, seconds }) {
  const chosen = opened.get(name).slice(0, number);
  const times = [];
  for (const table of chosen) {
    table.frames = table.characters = 0;
  }
  const until = performance.now() + seconds * 1000;
  const late = await Promise.all(chosen.map((table) => keepActing(table, until, times)));
  times.sort((one, other) => one - other);
  const sum = (of) => chosen.reduce((all, table) => all + of(table), 0);
  return {
    per_second: times.length / seconds,
    p50: times[Math.floor(times.length / 2)],
    actions: times.length + late.reduce((all, one) => all + one, 0),
    characters: sum((table) => table.characters) / sum((table) => table.frames),
  };
}

async function close({ close: name }) {
  for (const { sockets } of opened.get(name)) {
    sockets.forEach((socket) => socket.close());
  }
  opened.delete(name);
  return {};
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  const todo = 'open' in order ? open : 'play' in order ? play : close;
  console.log(JSON.stringify(await todo(order)));
}
process.exit();
