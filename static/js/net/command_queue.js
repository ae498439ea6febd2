/**
 * The queue of commands: each has its own id and is stored until it is answered.
 *
 * @typedef {Exclude<Wire.Incoming, Wire.Resync|Wire.Sight>} Sent
 * @typedef {Sent extends infer S ? S extends Sent ? Omit<S, "id"> : never : never} Command
 * @typedef {{message: Sent, at: number}} Kept
 */

const KEPT_FOR = 10 * 60_000;
/** After this time without a reply a notice is shown. */
const SLOW = 3_000;
/** After this time the connection counts as dead if no heartbeat came either: the server may be waiting for its database. */
const DEAD = 8_000;
const HEARTBEAT = 7_000;
/** After this time the reply is lost: no server waits longer for its database. */
const LOST = 75_000;

/** A random UUID; `crypto.randomUUID` is missing on plain http in a local network. */
export function generateId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * @param {{key: string, send: (message: Sent) => boolean, onSlow?: (isSlow: boolean) => void,
 *   onDead?: (silence: number) => void}} options `onDead`: the connection is dead if nothing was received for this many milliseconds. `key` names this player at this table in the session's storage.
 */
export function createCommandQueue({ key, send: sendOut, onSlow, onDead }) {
  /** @type {Map<string, Kept>} */
  const unanswered = new Map(restore());
  let committedAt = 0;
  /** @type {number[]} */
  let timers = [];

  /** @param {Sent} message */
  function send(message) {
    if (sendOut(message) && !timers.length) startTimers();
  }

  function startTimers() {
    if (onSlow)
      timers = [
        setTimeout(onSlow, SLOW, true),
        setTimeout(() => onDead?.(HEARTBEAT), DEAD),
        setTimeout(() => onDead?.(0), LOST),
      ];
  }

  function stopTimers() {
    timers.forEach(clearTimeout);
    timers = [];
    onSlow?.(false);
  }

  function restore() {
    try {
      /** @type {[string, Kept][]} */
      const entries = JSON.parse(sessionStorage.getItem(key) ?? "[]");
      return entries.filter(([, { at }]) => Date.now() - at < KEPT_FOR);
    } catch {
      return [];
    }
  }

  function store() {
    try {
      sessionStorage.setItem(key, JSON.stringify([...unanswered]));
    } catch {
      // Without storage, commands are not resent after a reload.
    }
  }

  return {
    /** Sends a command; returns its id. @param {Command} command */
    give(command) {
      const id = generateId();
      const message = /** @type {Sent} */ ({ ...command, id });
      unanswered.set(id, { message, at: Date.now() });
      store();
      send(message);
      return id;
    },
    /**
     * The server answered `id`, its change being `seq`. The command, if it was one of mine.
     * @param {string|null} id @param {number} seq
     */
    answered(id, seq) {
      const mine = (id && unanswered.get(id)?.message) || null;
      if (id && mine) {
        unanswered.delete(id);
        stopTimers();
        if (unanswered.size) startTimers(); // The others wait on.
        committedAt = Math.max(committedAt, seq);
        store();
      }
      return mine;
    },
    /** The same commands under the same ids: one that was played already is not played again. */
    resend() {
      stopTimers();
      for (const { message } of unanswered.values()) send(message);
    },
    /** The site was restored from a backup: discard earlier commands. */
    forget() {
      stopTimers();
      unanswered.clear();
      committedAt = 0;
      store();
    },
    /** The lines of chat that are unanswered, in order. */
    waitingLines: () =>
      [...unanswered.values()].flatMap(({ message }) =>
        message.t === "say" ? [message.text] : [],
      ),
    /** What the player did last and is unanswered, or nothing. */
    getLast: () => [...unanswered.values()].at(-1)?.message ?? null,
    /**
     * Whether something that the player did is unanswered, or its change is not on the screen yet.
     * @param {number} knownSeq
     */
    isWaiting(knownSeq) {
      return (
        [...unanswered.values()].some(({ message }) => message.t !== "commit")
        || knownSeq < committedAt
      );
    },
  };
}
