/** What can be done now, and nothing else: one set of buttons at a time. */
import { createActions } from "./actions.js";
import { createAgain } from "./again.js";
import { createBetting } from "./betting.js";
import { el, setAttribute, setText } from "./dom.js";
import { asksAgain, asksInsurance, isAsked, seatOf } from "./model.js";

/**
 * @param {HTMLElement} place
 * @param {{rules: object, loginUrl: string, lastStake: () => number|null,
 *   decide: (action: string) => void, bet: (stake: number) => void, leave: () => void}} options
 */
export function createControls(place, { rules, loginUrl, lastStake, decide, bet, leave }) {
  const betting = rules.stakes ? createBetting({ stakes: rules.stakes, onBet: bet }) : null;
  const actions = createActions({ label: "Actions", decide });
  const insurance = createActions({ label: "Insurance", decide });
  const again = createAgain({ onYes: () => bet(0), onNo: leave });
  const dealIn = el("button", { type: "button", class: "button is-wide deal-in", onclick: () => isWaiting || bet(0) });
  const logIn = el("a", { class: "button is-wide", href: loginUrl }, "Log in to play");
  const nodes = { actions: actions.node, insurance: insurance.node, betting: betting?.node, again: again.node, dealIn, logIn };
  let mode = "";
  let openTurn = null;
  let isWaiting = false;

  /** What the player is asked for: one of `nodes`, or nothing. */
  function modeFor(table, you) {
    if (you === null) return "logIn";
    const mine = seatOf(table, you);
    if (!mine) return "";
    if (table.phase === "playing") {
      if (!isAsked(table, you)) return "";
      return asksInsurance(table) ? "insurance" : "actions";
    }
    if (mine.stake !== null || mine.leaving) return "";
    if (betting) return "betting";
    return asksAgain(table, mine, rules) ? "again" : "dealIn";
  }

  function show(node) {
    const hadFocus = place.contains(document.activeElement);
    place.replaceChildren(...(node ? [node] : []));
    if (hadFocus) place.closest(".console").focus({ preventScroll: true });
  }

  function dealWords(table, mine) {
    if (!rules.piles) return mine.hands.length ? "Play again" : "Deal me in";
    const { player, house, discard, game_over: isOver } = table.piles;
    return isOver || player + house + discard === 0 ? "New game" : "Next hand";
  }

  const draws = {
    actions: (table) => actions.draw(table, isWaiting),
    insurance: (table) => insurance.draw(table, isWaiting),
    again: () => again.draw(isWaiting),
    betting(table, balance) {
      if (openTurn !== table.turn) betting.open(lastStake(), balance);
      openTurn = table.turn;
      betting.update({ balance, isWaiting });
    },
    dealIn(table, _, mine) {
      setText(dealIn, dealWords(table, mine));
      setAttribute(dealIn, "aria-disabled", isWaiting ? "true" : null);
    },
  };

  const presses = {
    actions: actions.press,
    insurance: insurance.press,
    again: again.press,
    betting: (key) => /^[1-5]$/.test(key) && betting.addChip(Number(key) - 1),
  };
  const confirms = { betting: () => betting.submit(), dealIn: () => isWaiting || bet(0), again: again.yes };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const at = /** @type {Element} */ (event.target);
    if (at.closest("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
    if (event.key !== "Enter") presses[mode]?.(event.key.toUpperCase());
    else if (!at.closest("button, a, summary")) confirms[mode]?.();
  });

  return {
    /** @param {import("./model.js").Table} table */
    draw(table, { you, balance, waiting }) {
      isWaiting = waiting;
      const next = modeFor(table, you);
      draws[next]?.(table, balance ?? 0, seatOf(table, you));
      if (next !== mode) show(nodes[next]);
      mode = next;
    },
  };
}
