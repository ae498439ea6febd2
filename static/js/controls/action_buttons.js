/** The buttons of one question: what is legal now, what it costs, and its keys. */
import { el, reconcile, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { baseStake } from "../model/table_model.js";
import { money } from "../text/format.js";
import { insuranceCost } from "../text/insurance.js";
import { keyOf } from "./shortcuts.js";

const LABELS = {
  hit: gettext("Hit"),
  stand: gettext("Stand"),
  double: gettext("Double"),
  split: gettext("Split"),
  surrender: gettext("Surrender"),
  insure: gettext("Insure"),
  decline: gettext("No insurance"),
};

/** What an action moves, as it is written on its button. @type {Record<string, (hand: object) => string>} */
const COSTS = {
  double: (hand) => `+${money(baseStake(hand))}`,
  split: (hand) => `+${money(baseStake(hand))}`,
  insure: (hand) => `+${money(insuranceCost(hand))}`,
  surrender: (hand) => gettext("%(amount)s back", { amount: money(Math.floor(hand.stake / 2)) }),
};

/**
 * @param {{label: string, decide: (action: string) => void}} options
 */
export function createActions({ label, decide }) {
  const node = el("div", { class: "actions", role: "group", "aria-label": label });
  let legal = [];
  let isWaiting = false;

  function run(action) {
    if (!legal.includes(action) || isWaiting) return false;
    decide(action);
    return true;
  }

  function newAction(action) {
    return el(
      "button",
      {
        type: "button",
        class: "action",
        "data-action": action,
        onclick: () => run(action),
        "aria-keyshortcuts": keyOf(action) || null,
      },
      el("span", { class: "action-name" }, LABELS[action] ?? action),
      " ",
      el("span", { class: "cost" }),
      el("kbd", { "aria-hidden": "true" }, keyOf(action)),
    );
  }

  return {
    node,
    run,
    /** @param {import("../model/table_model.js").Table} table somebody is asked on it */
    draw(table, waiting) {
      legal = table.asked.legal;
      isWaiting = waiting;
      const hand = table.seats[table.asked.seat - 1].hands[table.asked.hand - 1];
      reconcile(node, legal, String, newAction, (button, action) => {
        setAttribute(button, "aria-disabled", waiting ? "true" : null);
        setText(
          button.querySelector(".cost"),
          hand.stake && COSTS[action] ? COSTS[action](hand) : "",
        );
      });
    },
  };
}
