/** The chips: a stake is put together, and goes out with one button. */
import { el, reconcile, setAttribute, setText } from "./dom.js";
import { money } from "./words.js";

const CHIPS = [100, 500, 1_000, 2_500, 5_000, 10_000, 50_000];
const MOST_CHIPS = 5;
const WHOLE = /^(\d{1,9}|\d{1,3}(,\d{3})+)$/;

/** The chips that can be of use under these limits. */
export function chipsFor({ minimum, maximum, unit }) {
  const useful = CHIPS.filter((chip) => chip >= Math.min(minimum, 1_000) && chip % unit === 0 && (maximum === null || chip <= maximum));
  return useful.slice(0, MOST_CHIPS);
}

/**
 * @param {{stakes: {minimum: number, maximum: number|null, unit: number}, onBet: (stake: number) => void}} options
 */
export function createBetting({ stakes, onBet }) {
  const chips = chipsFor(stakes);
  let puts = [];
  let last = null;
  let isTouched = false;
  let isOdd = false;
  let state = { balance: 0, isWaiting: false };

  const tray = el("div", { class: "chips", role: "group", "aria-label": "Chips" });
  const undo = el("button", { type: "button", class: "button is-quiet", onclick: () => press(() => puts.pop()) }, "Undo");
  const clear = el("button", { type: "button", class: "button is-quiet", onclick: () => press(() => (puts = [])) }, "Clear");
  const input = el("input", {
    id: "stake-input", type: "text", inputmode: "numeric", autocomplete: "off", maxlength: "12",
    "aria-label": "Your stake", oninput: typed,
  });
  const bet = el("button", { type: "submit", class: "button bet" });
  const why = el("p", { class: "bet-why", id: "bet-why" });
  const node = el("form", { class: "betting", novalidate: true, onsubmit: submit },
    tray, el("div", { class: "bet-row" }, undo, clear, input, bet), why);

  const stake = () => puts.reduce((sum, put) => sum + put, 0);
  const ceiling = () => Math.min(state.balance, stakes.maximum ?? Infinity);

  function change(how) {
    isTouched = true;
    how();
    draw();
  }

  /** A button or chip: whatever was typed before is what the stake says now. */
  function press(how) {
    isOdd = false;
    change(how);
  }

  function typed() {
    const text = input.value.trim();
    isOdd = text !== "" && !WHOLE.test(text);
    change(() => (puts = text && !isOdd ? [Number(text.replaceAll(",", "")) * 100] : []));
  }

  function submit(event) {
    event?.preventDefault();
    if (!state.isWaiting && !objection()) onBet(stake());
  }

  /** Why this stake cannot be bet; "" when it can. */
  function objection() {
    if (isOdd) return "Type a whole number, such as 25.";
    if (state.balance < stakes.minimum) return `You have ${money(state.balance)}; the least stake here is ${money(stakes.minimum)}.`;
    if (stake() < stakes.minimum) return `The least stake is ${money(stakes.minimum)}.`;
    if (stakes.maximum !== null && stake() > stakes.maximum) return `The most is ${money(stakes.maximum)}.`;
    if (stake() > state.balance) return `You have ${money(state.balance)}.`;
    return stake() % stakes.unit ? `Stakes are multiples of ${money(stakes.unit)}.` : "";
  }

  function draw() {
    const problem = objection();
    reconcile(tray, chips, String, newChip, (button, chip) => {
      setAttribute(button, "aria-disabled", state.isWaiting || stake() + chip > ceiling() ? "true" : null);
    });
    if (document.activeElement !== input) input.value = stake() ? money(stake()) : "";
    setText(bet, !isTouched && last === stake() && last ? `Rebet ${money(last)}` : stake() ? `Bet ${money(stake())}` : "Bet");
    setAttribute(bet, "aria-disabled", state.isWaiting || problem ? "true" : null);
    setAttribute(undo, "aria-disabled", puts.length ? null : "true");
    setAttribute(clear, "aria-disabled", puts.length || isOdd ? null : "true");
    setText(why, isTouched || state.balance < stakes.minimum ? problem : "");
  }

  function newChip(chip, index) {
    return el("button", { type: "button", class: "chip", "data-chip": chip / 100, onclick: () => addChip(index), "aria-label": `Add ${money(chip)}` },
      el("span", {}, money(chip)));
  }

  function addChip(index) {
    const chip = chips[index];
    if (chip === undefined || state.isWaiting || stake() + chip > ceiling()) return;
    press(() => puts.push(chip));
  }

  return {
    node,
    addChip,
    submit,
    /** A new betting window opens: the last stake lies ready if it can still be bet. */
    open(lastStake, balance) {
      state = { ...state, balance };
      last = lastStake;
      isTouched = false;
      puts = lastStake && lastStake <= ceiling() ? [lastStake] : [];
    },
    update(next) {
      state = next;
      draw();
    },
  };
}
