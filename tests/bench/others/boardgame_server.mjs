// The same table as a game of boardgame.io: in memory, or in flat files where a folder is named.
// `node boardgame_server.mjs 300 /some/folder`: so many characters more in its state. Prints its
// port.

import { createRequire } from 'node:module';
import { hit, newTable, stand } from './game.mjs';

const require = createRequire(import.meta.url);
const { FlatFile, Server } = require('boardgame.io/server');
const { PlayerView } = require('boardgame.io/core');

const [, , padding = 0, folder] = process.argv;

function move(what) {
  return ({ G, random, events }) => {
    if (what(G, random.Shuffle)) {
      events.endTurn();
    }
  };
}

const blackjack = {
  name: 'blackjack',
  setup: ({ random }) => newTable(random.Shuffle, '.'.repeat(Number(padding))),
  playerView: PlayerView.STRIP_SECRETS,
  moves: {
    hit: { move: move(hit), client: false },
    stand: { move: move(stand), client: false },
  },
  disableUndo: true, // what it keeps to undo a move would only make its frames longer
};

const database = folder ? { db: new FlatFile({ dir: folder }) } : {};
const server = Server({ games: [blackjack], origins: [/localhost/], ...database });
const { appServer } = await server.run(0);
console.log(`port ${appServer.address().port}`);
