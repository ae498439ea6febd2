/**
 * Auto-rebet: repeats the last stake, after a pause to read the result and to stop the bet. It is
 * switched off for a player who seems to be absent.
 */
import { gettext } from "../lib/i18n.js";
import { formatMoney } from "../text/format.js";

const PAUSE = 1_500;

const WORDS = {
  on: gettext("Auto-rebet starts next round."),
  /** @param {number} stake */
  soon: (stake) =>
    gettext("Betting %(stake)s again. Tap here to cancel.", { stake: formatMoney(stake) }),
  stopped: gettext("Skipped this round. Auto-rebet continues next round."),
  off: {
    clock: gettext("Auto-rebet is off: your time ran out."),
    out: gettext("Auto-rebet is off: you sat out."),
    changed: gettext("Auto-rebet is off: this table's rules have changed."),
    hidden: gettext("Auto-rebet is off: this page was in the background."),
  },
};

/**
 * @param {{key: string, isConnected: () => boolean, place: (stake: number) => void,
 *   onChange: () => void, onOff: (why: string) => void}} options
 *   `key` names this player at this table in the session's storage; `onOff` receives the reason when it switches itself off.
 */
export function createAutoRebet({ key, isConnected, place, onChange, onOff }) {
  let isOn = recall(key);
  let isArmed = false;
  let timer = 0;
  let note = "";

  function stop() {
    clearTimeout(timer);
    timer = 0;
  }

  /** @param {boolean} on @param {string} words */
  function set(on, words) {
    stop();
    isOn = on;
    note = words;
    keep(key, on);
    onChange();
  }

  /** @param {keyof typeof WORDS.off} why */
  function switchOff(why) {
    if (!isOn) return;
    set(false, WORDS.off[why]);
    onOff(note);
  }

  /** @param {number} stake */
  function fire(stake) {
    timer = 0;
    note = "";
    if (document.hidden) switchOff("hidden");
    else if (isConnected()) place(stake);
    else isArmed = true; // The table as it is when the line is back decides anew.
    onChange();
  }

  return {
    get isOn() {
      return isOn;
    },
    /** The current message about it; "" for none. */
    get note() {
      return note;
    },
    /** @param {boolean} on */
    set: (on) => set(on, on ? WORDS.on : ""),
    switchOff,
    /** A round is played: after it there is something to bet again. */
    arm() {
      isArmed = true;
    },
    /**
     * Betting stands open, and `stake` could be bet (null: it could not). Taken up once after each round.
     * @param {number|null} stake
     */
    offer(stake) {
      if (!isOn || !isArmed || stake === null) return;
      isArmed = false;
      note = WORDS.soon(stake);
      timer = setTimeout(() => fire(stake), PAUSE);
    },
    /** The player touched the controls: skip this time. */
    touch() {
      const wasComing = timer !== 0;
      stop();
      note = wasComing ? WORDS.stopped : "";
      if (wasComing) onChange();
    },
    /** Betting is over, or it was done by hand. */
    drop() {
      stop();
      isArmed = false;
      note = "";
    },
  };
}

/** @param {string} key */
function recall(key) {
  try {
    return sessionStorage.getItem(key) === "on";
  } catch {
    return false;
  }
}

/** @param {string} key @param {boolean} isOn */
function keep(key, isOn) {
  try {
    if (isOn) sessionStorage.setItem(key, "on");
    else sessionStorage.removeItem(key);
  } catch {
    // Without storage it is off again after a reload.
  }
}
