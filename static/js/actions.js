/** The buttons of one question: what is legal now, what it costs, and its keys. */
import { el, reconcile, setAttribute, setText } from "./dom.js";
import { insuranceCost } from "./insurance.js";
import { baseStake } from "./model.js";
import { money } from "./words.js";

const LABELS = {
  hit: "Hit", stand: "Stand", double: "Double", split: "Split", surrender: "Surrender",
  insure: "Insure", decline: "No insurance",
};
const KEYS = { hit: "H", stand: "S", double: "D", split: "P", surrender: "U", insure: "I", decline: "N" };

/** What an action moves, as it is written on its button. @type {Record<string, (hand: object) => string>} */
const COSTS = {
  double: (hand) => `+${money(baseStake(hand))}`,
  split: (hand) => `+${money(baseStake(hand))}`,
  insure: (hand) => `+${money(insuranceCost(hand))}`,
  surrender: (hand) => `${money(Math.floor(hand.stake / 2))} back`,
};

/**
 * @param {{label: string, decide: (action: string) => void}} options
 */
export function createActions({ label, decide }) {
  const node = el("div", { class: "actions", role: "group", "aria-label": label });
  let legal = [];
  let isWaiting = false;

  const tryTo = (action) => legal.includes(action) && !isWaiting && decide(action);

  function newAction(action) {
    return el("button", { type: "button", class: "action", "data-action": action, onclick: () => tryTo(action), "aria-keyshortcuts": KEYS[action] ?? null },
      el("span", { class: "action-name" }, LABELS[action] ?? action), " ",
      el("span", { class: "cost" }),
      el("kbd", { "aria-hidden": "true" }, KEYS[action] ?? ""));
  }

  return {
    node,
    /** @param {import("./model.js").Table} table somebody is asked on it */
    draw(table, waiting) {
      legal = table.asked.legal;
      isWaiting = waiting;
      const hand = table.seats[table.asked.seat - 1].hands[table.asked.hand - 1];
      reconcile(node, legal, String, newAction, (button, action) => {
        setAttribute(button, "aria-disabled", waiting ? "true" : null);
        setText(button.querySelector(".cost"), hand.stake && COSTS[action] ? COSTS[action](hand) : "");
      });
    },
    /** @param {string} key in capitals */
    press: (key) => legal.filter((action) => KEYS[action] === key).forEach(tryTo),
  };
}
