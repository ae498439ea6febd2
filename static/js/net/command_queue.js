/** Commands on their way: each has an id of its own and is kept until it is answered. */

const KEPT_FOR = 10 * 60_000;
/** So long without an answer, and it is told. */
const SLOW = 3_000;
/** After so long the line counts as dead if no heartbeat came either: the server may have to wait for its database. */
const DEAD = 8_000;
const HEARTBEAT = 7_000;
/** After so long the answer was lost: no server waits for its database so long. */
const LOST = 75_000;

/** A random UUID; `crypto.randomUUID` is missing on plain http in a local network. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * @param {{key: string, send: (message: object) => boolean, onSlow?: (isSlow: boolean) => void,
 *   onDead?: (silence: number) => void}} options `onDead`: the line is dead if nothing was heard for so many milliseconds. `key` names this player at this table in the session's storage.
 */
export function createCommands({ key, send: sendOut, onSlow, onDead }) {
  /** @type {Map<string, {message: object, at: number}>} */
  const unanswered = new Map(restore());
  let committedAt = 0;
  let timers = [];

  function send(message) {
    if (sendOut(message) && onSlow && !timers.length)
      timers = [
        setTimeout(onSlow, SLOW, true),
        setTimeout(onDead, DEAD, HEARTBEAT),
        setTimeout(onDead, LOST, 0),
      ];
  }

  /** Something was heard. What is still unanswered is waited for anew. */
  function calm() {
    timers.forEach(clearTimeout);
    timers = [];
    onSlow?.(false);
  }

  function restore() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(key) ?? "[]");
      return kept.filter(([, { at }]) => Date.now() - at < KEPT_FOR);
    } catch {
      return [];
    }
  }

  function store() {
    try {
      sessionStorage.setItem(key, JSON.stringify([...unanswered]));
    } catch {
      // A browser that keeps nothing only loses the resending after a reload.
    }
  }

  return {
    /** @param {{t: string, [field: string]: any}} command */
    give(command) {
      const id = newId();
      const message = { ...command, id };
      unanswered.set(id, { message, at: Date.now() });
      store();
      send(message);
    },
    /** The server answered `id`, its change being `seq`. The command, if it was one of mine. */
    answered(id, seq) {
      const mine = unanswered.get(id)?.message ?? null;
      if (mine) {
        unanswered.delete(id);
        calm();
        committedAt = Math.max(committedAt, seq ?? 0);
        store();
      }
      return mine;
    },
    /** The same commands under the same ids: one that was played already is not played again. */
    resend() {
      calm();
      for (const { message } of unanswered.values()) send(message);
    },
    /** The house goes on from a backup: nothing that was given before is to be done now. */
    forget() {
      calm();
      unanswered.clear();
      committedAt = 0;
      store();
    },
    /** The commands of this kind that are unanswered, in order. @param {string} t */
    waiting: (t) =>
      [...unanswered.values()].map(({ message }) => message).filter((message) => message.t === t),
    /** Whether something that the player did is unanswered, or its change is not on the screen yet. */
    isWaiting(knownSeq) {
      return (
        [...unanswered.values()].some(({ message }) => message.t !== "commit")
        || knownSeq < committedAt
      );
    },
  };
}
