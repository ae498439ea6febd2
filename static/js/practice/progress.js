/**
 * The figures of practice in this browser, for each game (a rule set with its options). What an
 * account has already is `base`; `sending` is on its way there, as a batch with a name that is added
 * once only; `unsent` is what was answered since.
 */
import { generateId } from "../net/command_queue.js";

const KEY = "practice/progress";
/** As in tables/advice/progress.py, which adds in the same way. */
const MOST_GAMES = 20;
const MOST_SPOTS = 60;
const MOST_WEIGHT = 6;
const PENALTY = 2;
const MILLION = 1_000_000;
/** Below this, two actions are equally good: values are sums of floating-point numbers. */
const EQUAL = 1e-9;

/**
 * @typedef {{hands: number, right: number, late: number, cost: number, lead: number, streak: number,
 *   best: number, missed: Record<string, number>}} Figures
 *   `cost` in millionths; `lead` and `streak`: the right answers in a row at the start and at the end;
 *   `missed`: weights by spot
 * @typedef {Record<string, Figures>} Games
 * @typedef {{account: number|null, batch: string, base: Games, sending: Games, unsent: Games}} Kept
 * @typedef {ReturnType<typeof createProgress>} Progress
 */

/** @returns {Figures} */
function createFigures() {
  return { hands: 0, right: 0, late: 0, cost: 0, lead: 0, streak: 0, best: 0, missed: {} };
}

/** @param {number} cost in units of the game */
export function isRight(cost) {
  return cost < EQUAL;
}

/**
 * The figures of two times, one after the other.
 * @param {Figures} before @param {Figures} after @returns {Figures}
 */
function addFigures(before, after) {
  const joined = before.streak + after.lead;
  /** @type {Record<string, number>} */
  const missed = { ...before.missed };
  for (const [spot, weight] of Object.entries(after.missed)) {
    delete missed[spot]; // The latest come last.
    missed[spot] = Math.min(MOST_WEIGHT, (before.missed[spot] ?? 0) + weight);
  }
  const changed = Object.entries(missed).filter(([, weight]) => weight !== 0);
  return {
    hands: before.hands + after.hands,
    right: before.right + after.right,
    late: before.late + after.late,
    cost: before.cost + after.cost,
    lead: before.lead === before.hands ? before.lead + after.lead : before.lead,
    streak: after.streak === after.hands ? before.streak + after.hands : after.streak,
    best: Math.max(before.best, after.best, joined),
    missed: Object.fromEntries(changed.slice(-MOST_SPOTS)),
  };
}

/**
 * One answer as figures.
 * @param {string} spot @param {number|null} cost null: not answered @param {number} weight of the spot
 * @returns {Figures}
 */
function describeAnswer(spot, cost, weight) {
  const right = cost !== null && isRight(cost);
  const run = right ? 1 : 0;
  const change = right ? -Math.min(1, Math.max(0, weight)) : PENALTY;
  return {
    hands: 1,
    right: run,
    late: cost === null ? 1 : 0,
    cost: Math.round((cost ?? 0) * MILLION),
    lead: run,
    streak: run,
    best: run,
    missed: change ? { [spot]: change } : {},
  };
}

/**
 * @param {{game: string, account: number|null, kept: Games, send: (body: object) => Promise<Games>,
 *   onChange: () => void}} options
 *   `account`: its id, or null without a login; `kept`: what the account has; `send` sends to it
 */
export function createProgress({ game, account, kept: base, send, onChange }) {
  let state = read();
  let isSending = false;
  if (state.account !== account) {
    // Of somebody without a login, all goes to the account; of another account, nothing.
    const unsent = state.account === null ? state.unsent : {};
    state = { account, batch: "", base: {}, sending: {}, unsent };
  }
  state.base = areGames(base) ? base : {};
  write();

  window.addEventListener("storage", ({ key }) => {
    if (key === KEY) state = read();
  });

  function write() {
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch {
      // Without storage the figures last as long as the page.
    }
  }

  function sum() {
    const parts = [state.base[game], state.sending[game], state.unsent[game]].filter(Boolean);
    return parts.reduce(addFigures, createFigures());
  }

  /** Sends what the account does not have yet; what fails is sent again with the next answer. */
  async function sync() {
    if (account === null || isSending) return;
    if (isEmpty(state.sending)) {
      if (isEmpty(state.unsent)) return;
      state = { ...state, batch: generateId(), sending: state.unsent, unsent: {} };
      write();
    }
    const { batch, sending } = state;
    isSending = true;
    try {
      const games = await send({ batch, games: sending });
      if (areGames(games) && state.batch === batch) state = { ...state, base: games, sending: {} };
      write();
      onChange();
    } catch {
      // The line is away, or the session has ended.
    } finally {
      isSending = false;
    }
  }

  return {
    get figures() {
      return sum();
    },
    /** The missed spots with their weights. */
    listMissed() {
      return Object.entries(sum().missed).filter(([, weight]) => weight > 0);
    },
    /** @param {string} spot @param {number|null} cost null: not answered */
    add(spot, cost) {
      const { [game]: old = createFigures(), ...others } = state.unsent;
      const answer = describeAnswer(spot, cost, sum().missed[spot] ?? 0);
      // The latest game comes last, and stays.
      const games = Object.entries({ ...others, [game]: addFigures(old, answer) });
      state.unsent = Object.fromEntries(games.slice(-MOST_GAMES));
      write();
      sync();
    },
    sync,
    async reset() {
      for (const games of [state.base, state.sending, state.unsent]) delete games[game];
      write();
      if (account !== null) await send({ reset: game }).catch(() => {});
    },
  };
}

/** @returns {Kept} */
function read() {
  /** @type {Kept} */
  const none = { account: null, batch: "", base: {}, sending: {}, unsent: {} };
  try {
    const state = JSON.parse(localStorage.getItem(KEY) ?? "null");
    if (![state?.base, state?.sending, state?.unsent].every(areGames)) return none;
    const { account, batch, base, sending, unsent } = state;
    return { account: account ?? null, batch: String(batch ?? ""), base, sending, unsent };
  } catch {
    return none;
  }
}

/** @param {Games} games */
function isEmpty(games) {
  return Object.keys(games).length === 0;
}

/** @param {unknown} value */
function areGames(value) {
  return typeof value === "object" && value !== null && Object.values(value).every(areFigures);
}

/** @param {any} value */
function areFigures(value) {
  const { missed, ...numbers } = createFigures();
  return (
    typeof value?.missed === "object"
    && Object.keys(numbers).every((name) => Number.isFinite(value[name]))
    && Object.values(value.missed ?? missed).every(Number.isFinite)
  );
}
