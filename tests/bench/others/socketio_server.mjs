// A table as one might write it in an evening: socket.io, tables in memory. Prints its port.
// `node socketio_server.mjs 900`: frames are made longer by so many characters.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from 'socket.io';
import { hit, newTable, stand } from './game.mjs';

const padding = '.'.repeat(Number(process.argv[2] ?? 0));
const moves = { hit, stand };
const tables = new Map();

function shuffle(cards) {
  for (let last = cards.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [cards[last], cards[other]] = [cards[other], cards[last]];
  }
  return cards;
}

function tableOf(id) {
  if (!tables.has(id)) {
    tables.set(id, { version: 0, state: newTable(shuffle, padding) });
  }
  return tables.get(id);
}

function frame({ version, state: { secret, ...visible } }) {
  return { version, ...visible };
}

const http = createServer();
const io = new Server(http);
io.on('connection', (socket) => {
  const { id, seat } = socket.handshake.auth;
  const table = tableOf(id);
  socket.join(id);
  socket.emit('changed', frame(table));
  socket.on('act', (what, version) => {
    if (table.state.asked !== seat || table.version !== version) {
      return;
    }
    moves[what](table.state, shuffle);
    table.version += 1;
    io.to(id).emit('changed', frame(table));
  });
});
http.listen(0, '127.0.0.1', () => console.log(`port ${http.address().port}`));
