/** A socket that reconnects automatically, and reports when it is away. */

/** Less than the 20 seconds by which a deadline is extended after an outage. */
const LONGEST_WAIT = 8_000;
const FIRST_WAIT = 500;
const WAIT_AFTER_REFUSAL = 5_000;
const STEADY = 60_000;
const SESSION_ENDED = 4401;
const NO_SUCH_TABLE = 4404;
const TOO_MANY_PAGES = 4409;
const REFUSALS = [4400, 4429];

/**
 * @param {string | (() => string)} path A function gives the path of each new connection.
 * @param {{
 *   onMessage: (message: Wire.Outgoing) => void,
 *   onOpen?: () => void,
 *   onAway?: () => void,
 *   onGone?: () => void,
 *   onTooMany?: () => void,
 *   onEnded?: () => void,
 *   silence?: number,
 * }} handlers `silence`: the connection is dead after this many milliseconds without a frame. `onEnded`: the
 *   session has ended; by default the page reloads.
 */
export function connect(
  path,
  { onMessage, onOpen, onAway, onGone, onTooMany, onEnded = reload, silence = 0 },
) {
  const host = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}`;
  /** @type {WebSocket|null} */
  let socket = null;
  let attempts = 0;
  let openedAt = 0;
  let heardAt = 0;
  let retryTimer = 0;
  let silenceTimer = 0;
  let notBefore = 0;
  let isOver = false;

  function open() {
    clearTimeout(retryTimer);
    const opened = new WebSocket(host + (typeof path === "string" ? path : path()));
    socket = opened;
    listen();
    opened.addEventListener("open", () => {
      if (opened !== socket) return;
      openedAt = Date.now();
      onOpen?.();
    });
    opened.addEventListener("message", ({ data }) => {
      if (opened !== socket) return;
      listen();
      onMessage(JSON.parse(data));
    });
    opened.addEventListener("close", ({ code }) => {
      if (opened === socket) lost(code);
    });
  }

  /** Full jitter: anywhere between nothing and the longest wait of this attempt. @param {number} code */
  function lost(code) {
    socket = null;
    clearTimeout(silenceTimer);
    if (isOver) return;
    if (code === SESSION_ENDED) {
      isOver = true;
      onEnded();
      return;
    }
    if (code === NO_SUCH_TABLE) {
      isOver = true;
      onGone?.();
      return;
    }
    if (code === TOO_MANY_PAGES) {
      isOver = true; // Coming back would close another page of the same player, and that one this.
      onTooMany?.();
      return;
    }
    onAway?.();
    if (openedAt && Date.now() - openedAt > STEADY) attempts = 0;
    openedAt = 0;
    const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempts);
    attempts += 1;
    const floor = REFUSALS.includes(code) ? WAIT_AFTER_REFUSAL : 0;
    notBefore = Date.now() + floor;
    retryTimer = setTimeout(open, floor + Math.random() * longest);
  }

  /** Starts to wait for a frame; without one the line counts as dead. */
  function listen() {
    heardAt = Date.now();
    clearTimeout(silenceTimer);
    if (silence) silenceTimer = setTimeout(drop, silence);
  }

  function drop() {
    const dead = socket;
    if (!dead) return; // It is tried again already.
    lost(0);
    dead.close();
  }

  function hurry() {
    if (isOver || socket || document.hidden || Date.now() < notBefore) return;
    attempts = 0;
    open();
  }

  window.addEventListener("online", hurry);
  window.addEventListener("offline", drop);
  window.addEventListener("pagehide", () => {
    isOver = true;
    clearTimeout(retryTimer);
    clearTimeout(silenceTimer);
    socket?.close();
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isOver = false;
    open();
  });
  document.addEventListener("visibilitychange", hurry);
  open();

  return {
    /** Whether the message went out; a line that is away takes none. @param {Wire.Incoming} message */
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    /**
     * Close a connection that has received nothing for this many milliseconds, and reconnect.
     * @param {number} silence
     */
    drop(silence) {
      if (Date.now() - heardAt >= silence) drop();
    },
  };
}

function reload() {
  location.reload();
}
