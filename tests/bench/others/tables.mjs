// One table with three open sockets each, as three pages have it: of the house, of socket.io, of
// boardgame.io. `act` does the next sensible thing and is over when all three have heard of it.

import { randomUUID } from 'node:crypto';
import { io } from 'socket.io-client';
import WebSocket from 'ws';
import { SEATS, total } from './game.mjs';

const HIT_BELOW = 12;
const PATIENCE = 20_000;

class Table {
  frames = 0;
  characters = 0;
  state = null;
  #versions = Array(SEATS).fill(-1);
  #wanted = 0;
  #tell = null;

  get version() {
    return Math.min(...this.#versions);
  }

  /** Count a frame as long as this. */
  note(text) {
    this.frames += 1;
    this.characters += text.length;
  }

  /** This seat has been told of that version of the table. */
  hear(seat, version, state) {
    this.#versions[seat] = Math.max(this.#versions[seat], version);
    this.state = state;
    if (this.#tell !== null && this.version >= this.#wanted) {
      this.#tell();
    }
  }

  /** When all three have this version. Rejects after 20 seconds. */
  heard(version) {
    this.#wanted = version;
    return new Promise((resolve, reject) => {
      this.fail = reject;
      const late = setTimeout(() => reject(new Error('a frame did not arrive')), PATIENCE);
      this.#tell = () => {
        clearTimeout(late);
        this.#tell = null;
        resolve();
      };
      if (this.version >= version) {
        this.#tell();
      }
    });
  }
}

/** A table of the house. `players`: the cookies of those who sit at its seats. */
export class OurTable extends Table {
  async open(url, id, players) {
    const address = `${url.replace('http', 'ws')}/ws/tables/${id}/`;
    this.sockets = players.map((cookie, seat) => {
      const headers = { Cookie: cookie };
      const socket = new WebSocket(address, { headers, origin: url, perMessageDeflate: false });
      socket.on('message', (data) => this.read(seat, data.toString()));
      return socket;
    });
    await this.heard(0);
  }

  read(seat, text) {
    const frame = JSON.parse(text);
    if (frame.t === 'changed') {
      this.note(text);
    }
    if (frame.table && 'seq' in frame) {
      this.hear(seat, frame.seq, frame.table);
    } else if (frame.t === 'err') {
      this.fail(new Error(`the house refuses: ${frame.code}`));
    }
  }

  send(socket, command) {
    socket.send(JSON.stringify({ id: randomUUID(), ...command }));
  }

  get isBetweenRounds() {
    return this.state.phase === 'betting' && this.state.seats.every(({ stake }) => !stake);
  }

  act() {
    const { asked, seats, turn } = this.state;
    const next = this.version + 1;
    if (asked === null) {
      const { seat } = seats.find(({ stake }) => !stake);
      this.send(this.sockets[seat - 1], { t: 'bet', turn, stake: 1000 });
    } else {
      const hand = seats[asked.seat - 1].hands[asked.hand - 1];
      const t = hand.total < HIT_BELOW ? 'hit' : 'stand';
      this.send(this.sockets[asked.seat - 1], { t, turn });
    }
    return this.heard(next);
  }
}

class TheirTable extends Table {
  get isBetweenRounds() {
    return this.state.asked === 0 && this.state.seats[0].cards.length === 2;
  }

  connect(url, auth, event) {
    const socket = io(url, { auth, transports: ['websocket'], forceNew: true });
    socket.on('connect', () => {
      socket.io.engine.on('packet', ({ data }) => {
        if (data?.includes(event)) {
          this.note(data);
        }
      });
    });
    return socket;
  }

  act() {
    const { asked, seats } = this.state;
    const next = this.version + 1;
    this.send(asked, total(seats[asked].cards) < HIT_BELOW ? 'hit' : 'stand');
    return this.heard(next);
  }
}

/** A table of socketio_server.mjs. */
export class SocketIoTable extends TheirTable {
  async open(url, id) {
    this.sockets = Array.from({ length: SEATS }, (_, seat) => {
      const socket = this.connect(url, { id, seat }, '["changed",');
      return socket.on('changed', (state) => this.hear(seat, state.version, state));
    });
    await this.heard(0);
  }

  send(seat, what) {
    this.sockets[seat].emit('act', what, this.version);
  }
}

/** A match of boardgame_server.mjs; it speaks as boardgame.io's own client does. */
export class BoardgameIoTable extends TheirTable {
  async open(url, id) {
    this.id = id;
    this.sockets = Array.from({ length: SEATS }, (_, seat) => {
      const socket = this.connect(`${url}/blackjack`, {}, '["update",');
      socket.on('sync', (_match, { state }) => this.hear(seat, state._stateID, state.G));
      socket.on('update', (_match, state) => this.hear(seat, state._stateID, state.G));
      return socket;
    });
    for (const [seat, socket] of this.sockets.entries()) {
      // One after the other: the first makes the match.
      await new Promise((resolve) => {
        socket.once('sync', resolve).emit('sync', id, `${seat}`, null, SEATS);
      });
    }
  }

  send(seat, type) {
    const playerID = `${seat}`;
    const payload = { type, args: [], playerID, credentials: null };
    const move = { type: 'MAKE_MOVE', payload };
    this.sockets[seat].emit('update', move, this.version, this.id, playerID);
  }
}
