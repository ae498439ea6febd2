/** Betting: chips, rebet, double, all in, changes before the deal, and auto-rebet. */

import { gettext } from "../lib/i18n.js";
import { formatMoney } from "../text/format.js";
import { createAutoRebet } from "./auto_rebet.js";
import { createBettingForm } from "./betting_form.js";
import { createStake, listChips } from "./stake.js";

/**
 * @import { Ask } from "../lib/dialogs.js"
 * @typedef {{balance: number, isWaiting: boolean, held: number|null}} State
 */

const WORDS = {
  autoOff: gettext("Auto-rebet is off."),
  /** @param {number} stake */
  bet: (stake) =>
    stake ? gettext("Bet %(stake)s", { stake: formatMoney(stake) }) : gettext("Bet"),
  /** @param {number} stake */
  rebet: (stake) => gettext("Rebet %(stake)s", { stake: formatMoney(stake) }),
  /** @param {number} stake */
  stake: (stake) => gettext("Your bet: %(stake)s.", { stake: formatMoney(stake) }),
  /** @param {number} stake */
  keep: (stake) => gettext("Keep %(stake)s", { stake: formatMoney(stake) }),
  /** @param {number} stake @param {boolean} isAll */
  allIn: (stake, isAll) => ({
    title: gettext("All in?"),
    text: isAll
      ? gettext("Bet %(stake)s on the next hand? That is all you have.", {
          stake: formatMoney(stake),
        })
      : gettext("Bet %(stake)s on the next hand? That is the most you can bet now.", {
          stake: formatMoney(stake),
        }),
    yes: WORDS.bet(stake),
  }),
};

/**
 * @param {{
 *   stakes: Wire.Stakes,
 *   key: string,
 *   bet: (stake: number) => void,
 *   keep: () => void,
 *   sure: Ask,
 *   isConnected: () => boolean,
 *   note: (text: string) => void,
 *   complain: (text: string) => void,
 *   saySoon: (text: string) => void,
 * }} options `complain`: why what was pressed is not done; `saySoon`: for screen readers, once it stays; `key` names this player at this table; `keep`: leave the bet that lies there as it is
 */
export function createBetting({
  stakes,
  key,
  bet,
  keep,
  sure,
  isConnected,
  note,
  complain,
  saySoon,
}) {
  const chips = listChips(stakes);
  const stake = createStake(stakes);
  let last = 0;
  /** @type {number|null} */
  let laid = null;
  let isTouched = false;
  /** Whether it is asked if all is to be bet. */
  let isAsking = false;
  /** @type {State} */
  let state = { balance: 0, isWaiting: false, held: null };

  const auto = createAutoRebet({
    key,
    isConnected,
    place: (amount) => !state.isWaiting && stake.isLegal(amount) && bet(amount),
    onChange: () => draw(),
    onOff: note,
  });
  const form = createBettingForm({
    chips,
    run,
    onType(text) {
      change(() => stake.type(text));
      saySoon(stake.isEmpty ? "" : stake.objection()); // The field itself says what is typed.
    },
    onSubmit: (isFromField) => (isFromField && stake.isEmpty) || confirm(),
    onTouch: auto.touch,
  });

  /** The amount that 2× doubles: the entered stake, else the last bet. */
  const base = () => stake.sum() || last;
  /** Whether the button bets the last stake again: nothing else was put together. */
  const isRebet = () =>
    laid === null && stake.isLegal(last) && (stake.isEmpty || (!isTouched && stake.sum() === last));

  /** The stake of the last round is preselected: the first chip replaces it. */
  const isOld = () => laid === null && !isTouched;

  /** @param {number} amount */
  function addChip(amount) {
    if (isOld()) stake.clear();
    build(() => stake.add(amount));
  }

  /** By chips and tools. @param {() => void} how */
  function build(how) {
    change(how);
    saySoon(`${WORDS.stake(stake.sum())} ${stake.isEmpty ? "" : stake.objection()}`.trim());
  }

  /** @param {() => void} how */
  function change(how) {
    auto.touch();
    complain("");
    isTouched = true;
    how();
    draw();
    return true;
  }

  /** @param {number} amount */
  function place(amount) {
    auto.drop();
    saySoon("");
    if (amount === laid) keep();
    else bet(amount);
    return true;
  }

  function confirm() {
    if (state.isWaiting) return false;
    if (isRebet()) return place(last);
    const why = stake.objection();
    saySoon("");
    complain(why);
    return !why && place(stake.sum());
  }

  async function goAllIn() {
    const amount = stake.most(state.held);
    auto.touch();
    isAsking = true;
    const isMeant = await sure(WORDS.allIn(amount, amount + 100 > state.balance));
    isAsking = false;
    const isStillAsked = form.node.isConnected && !state.isWaiting;
    if (isMeant && isStillAsked && amount <= stake.most(state.held)) place(amount);
  }

  /** @type {Record<string, (digit: number) => boolean>} */
  const can = {
    chip: (digit) =>
      !state.isWaiting && stake.canAdd(chips[digit - 1] ?? 0, isOld() ? 0 : stake.sum()),
    undo: () => !stake.isEmpty,
    clear: () => !stake.isEmpty,
    twice: () => !state.isWaiting && stake.canAdd(2 * base() - stake.sum()),
    allIn: () => !state.isWaiting && stake.most(state.held) > 0,
    bet: () => !state.isWaiting && (isRebet() || !stake.objection()),
    rebet: () => !state.isWaiting && laid === null && stake.isLegal(last),
    auto: () => laid === null,
    keep: () => laid !== null,
  };
  /** @type {Record<string, (digit: number) => void>} */
  const does = {
    chip: (digit) => addChip(chips[digit - 1]),
    undo: () => build(stake.undo),
    clear: () => build(stake.clear),
    twice: () => build(() => stake.add(2 * base() - stake.sum())),
    allIn: () => void goAllIn(),
    bet: () => void confirm(),
    rebet: () => void place(last),
    auto() {
      auto.set(!auto.isOn);
      saySoon(auto.isOn ? auto.note : WORDS.autoOff);
    },
    keep,
  };

  /**
   * Runs the command of a button or key if possible now. Returns whether it did.
   * @param {string} command @param {number} [digit]
   */
  function run(command, digit = 0) {
    if (!can[command]?.(digit)) return false;
    does[command](digit);
    return true;
  }

  function words() {
    if (laid !== null && stake.sum() === laid) return WORDS.keep(laid);
    return isRebet() ? WORDS.rebet(last) : WORDS.bet(stake.sum());
  }

  function draw() {
    const problem = isRebet() ? "" : stake.objection();
    const isTold = isTouched || state.balance < stakes.minimum;
    form.draw({
      can: (command, digit = 0) => can[command](digit),
      stake: stake.sum(),
      words: words(),
      isFree: can.bet(0),
      isWrong: isTouched && !stake.isEmpty && Boolean(problem),
      isChange: laid !== null,
      isAuto: auto.isOn,
      note: (isTold && problem) || auto.note,
    });
  }

  return {
    node: form.node,
    run,
    auto,
    /** The bets are closed: whether to bet all is not asked any more. */
    endQuestion: () => isAsking && sure.cancel(),
    /**
     * Opens the controls with the last stake if it can be bet, or with `laidStake` to change it.
     * @param {number|null} lastStake @param {number} balance @param {number|null} [laidStake]
     */
    open(lastStake, balance, laidStake = null) {
      stake.haveFunds(balance);
      last = lastStake ?? 0;
      laid = laidStake;
      isTouched = false;
      stake.put(laid ?? (stake.isLegal(last) ? last : 0));
    },
    /**
     * @param {{balance: number, isWaiting: boolean, held: number|null, isOver: boolean}} next `isOver`: the last round was shown to its end
     */
    update(next) {
      state = next;
      stake.haveFunds(next.balance);
      if (next.isOver && laid === null) auto.offer(stake.isLegal(last) ? last : null);
      draw();
    },
  };
}
