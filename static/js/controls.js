/** The buttons: what can be done now, and nothing else. */
import { createBetting } from "./betting.js";
import { el, reconcile, setAttribute, setText } from "./dom.js";
import { seatOf } from "./model.js";
import { money } from "./words.js";

const LABELS = { hit: "Hit", stand: "Stand", double: "Double", split: "Split" };
const KEYS = { h: "hit", s: "stand", d: "double", p: "split" };
const COSTS = ["double", "split"];

/**
 * @param {HTMLElement} place
 * @param {{rules: {stakes: object|null}, loginUrl: string, lastStake: () => number|null,
 *   decide: (action: string) => void, bet: (stake: number) => void}} options
 */
export function createControls(place, { rules, loginUrl, lastStake, decide, bet }) {
  const betting = rules.stakes ? createBetting({ stakes: rules.stakes, onBet: bet }) : null;
  const actions = el("div", { class: "actions", role: "group", "aria-label": "Actions" });
  const dealIn = el("button", { type: "button", class: "button is-wide deal-in", onclick: () => isFree() && bet(0) });
  const logIn = el("a", { class: "button is-wide", href: loginUrl }, "Log in to play");
  let mode = "";
  let openTurn = null;
  let legal = [];
  let isWaiting = false;

  const isFree = () => !isWaiting;
  const tryTo = (action) => legal.includes(action) && isFree() && decide(action);

  /** What the player is asked for: "actions", "betting", "dealIn", "logIn" or nothing. */
  function modeFor(table, you) {
    if (you === null) return "logIn";
    const mine = seatOf(table, you);
    if (!mine) return "";
    if (table.phase === "playing") return table.asked?.seat === mine.seat ? "actions" : "";
    if (mine.stake !== null || mine.leaving) return "";
    return betting ? "betting" : "dealIn";
  }

  function show(node) {
    const hadFocus = place.contains(document.activeElement);
    place.replaceChildren(...(node ? [node] : []));
    if (hadFocus) place.closest(".console").focus({ preventScroll: true });
  }

  function drawActions(table) {
    const { seat, hand } = table.asked;
    const cost = money(baseStake(table.seats[seat - 1].hands[hand - 1]));
    reconcile(actions, legal, String, newAction, (button, action) => {
      setAttribute(button, "aria-disabled", isWaiting ? "true" : null);
      setText(button.querySelector(".cost"), COSTS.includes(action) && rules.stakes ? `+${cost}` : "");
    });
  }

  function newAction(action) {
    return el("button", { type: "button", class: "action", "data-action": action, onclick: () => tryTo(action), "aria-keyshortcuts": keyOf(action) },
      el("span", { class: "action-name" }, LABELS[action] ?? action), " ",
      el("span", { class: "cost" }),
      el("kbd", { "aria-hidden": "true" }, keyOf(action)));
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const at = /** @type {Element} */ (event.target);
    if (at.closest("input, textarea, select, [contenteditable], dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (mode === "actions" && KEYS[key]) tryTo(KEYS[key]);
    else if (mode === "betting" && /^[1-5]$/.test(key)) betting.addChip(Number(key) - 1);
    else if (key === "enter" && !at.closest("button, a, summary")) confirm();
  });

  function confirm() {
    if (mode === "betting") betting.submit();
    else if (mode === "dealIn" && isFree()) bet(0);
  }

  return {
    /** @param {import("./model.js").Table} table */
    draw(table, { you, balance, waiting }) {
      isWaiting = waiting;
      const next = modeFor(table, you);
      legal = next === "actions" ? table.asked.legal : [];
      if (next === "actions") drawActions(table);
      if (next === "betting") {
        if (openTurn !== table.turn) betting.open(lastStake(), balance ?? 0);
        openTurn = table.turn;
        betting.update({ balance: balance ?? 0, isWaiting });
      }
      if (next === "dealIn") {
        setText(dealIn, seatOf(table, you).hands.length ? "Play again" : "Deal me in");
        setAttribute(dealIn, "aria-disabled", isWaiting ? "true" : null);
      }
      if (next !== mode) show({ actions, betting: betting?.node, dealIn, logIn }[next]);
      mode = next;
    },
  };
}

function baseStake(hand) {
  return hand.doubled ? hand.stake / 2 : hand.stake;
}

function keyOf(action) {
  return Object.keys(KEYS).find((key) => KEYS[key] === action)?.toUpperCase() ?? "";
}
