/** The buttons of a decision: the legal actions, their costs and their keys. */
import { el, find, reconcile, setAttribute, setClasses, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { getAsked, getBaseStake } from "../model/table_model.js";
import { ACTION_NAMES } from "../text/actions.js";
import { formatMoney } from "../text/format.js";
import { formatWorth } from "../text/hints.js";
import { getInsuranceCost, isEvenMoney } from "../text/insurance.js";
import { getKey } from "./shortcuts.js";

/** @import { Hand, Rules, Table } from "../model/table_model.js" */

/** On the button of the best action. */
const BEST = gettext("Best");
/** @type {Partial<Record<Wire.Action, string>>} */
const OF_EVEN_MONEY = { insure: gettext("Take even money"), decline: gettext("Decline") };

/**
 * The amount that an action moves, for its button.
 * @type {Partial<Record<Wire.Action, (hand: Hand) => string>>}
 */
const COSTS = {
  double: (hand) => `+${formatMoney(getBaseStake(hand) ?? 0)}`,
  split: (hand) => `+${formatMoney(getBaseStake(hand) ?? 0)}`,
  insure: (hand) => `+${formatMoney(getInsuranceCost(hand))}`,
  surrender: (hand) =>
    gettext("%(amount)s back", { amount: formatMoney(Math.floor(hand.stake / 2)) }),
};

/** What stands beside the value. @param {Wire.HintValue|null|undefined} hintValue */
function getMoreKind(hintValue) {
  if (!hintValue) return null;
  return hintValue.chances ? "chances" : hintValue.money === null ? null : "money";
}

/** Whether value and money need a smaller print in one line. @param {{value: string, more: string}} worth */
const isLong = ({ value, more }) => !more.includes("%") && value.length + more.length > 12;

/**
 * @param {{rules: Rules, label: string, decide: (action: Wire.Action) => void}} options
 */
export function createActions({ rules, label, decide }) {
  const node = el("div", { class: "actions", role: "group", "aria-label": label });
  /** @type {Wire.Action[]} */
  let legal = [];
  let isWaiting = false;

  /** Runs the command of a button or key if it is legal now. Returns whether it was. @param {string} command */
  function run(command) {
    const action = legal.find((one) => one === command);
    if (!action || isWaiting) return false;
    decide(action);
    return true;
  }

  /** @param {Wire.Action} action */
  function createAction(action) {
    return el(
      "button",
      {
        type: "button",
        class: "action",
        "data-action": action,
        onclick: () => run(action),
        "aria-keyshortcuts": getKey(action) || null,
      },
      el("span", { class: "action-name" }, ACTION_NAMES[action] ?? action),
      " ",
      el("span", { class: "best-word" }),
      " ",
      el("span", { class: "cost" }),
      " ",
      el(
        "span",
        { class: "worth" },
        el("span", { class: "worth-value" }),
        el("span", { class: "worth-unit" }),
        el("span", { class: "worth-dot" }),
        el("span", { class: "worth-more" }),
      ),
      el("kbd", { "aria-hidden": "true" }, getKey(action)),
    );
  }

  /** @param {Element} button @param {Wire.Action} action @param {Wire.Hint|null} hint */
  function drawWorth(button, action, hint) {
    const hintValue = hint?.values.find((each) => each.action === action);
    const isBest = hint?.values[0].action === action;
    const worth = hint && hintValue && formatWorth(hint, hintValue, rules);
    setClasses(button, { "is-best": isBest, "has-worth": Boolean(worth) });
    setText(find(button, ".best-word"), isBest ? BEST : "");
    setText(find(button, ".worth-value"), worth ? worth.value : "");
    setText(find(button, ".worth-unit"), worth ? ` ${worth.unit}` : "");
    setText(find(button, ".worth-dot"), worth?.more ? " · " : "");
    setText(find(button, ".worth-more"), worth?.more ?? "");
    setAttribute(find(button, ".worth"), "data-with", getMoreKind(hintValue));
    setClasses(find(button, ".worth"), { "is-long": Boolean(worth && isLong(worth)) });
  }

  return {
    node,
    run,
    /**
     * @param {Table} table @param {string|null} you the player asked @param {boolean} waiting
     * @param {Wire.Hint|null} hint about this decision
     */
    draw(table, you, waiting, hint) {
      const decision = getAsked(table, you);
      legal = decision.legal;
      isWaiting = waiting;
      const hand = table.seats[decision.seat - 1].hands[decision.hand - 1];
      reconcile(node, legal, String, createAction, (button, action) => {
        setAttribute(button, "aria-disabled", waiting ? "true" : null);
        const ofEvenMoney = isEvenMoney(hand, rules) ? OF_EVEN_MONEY[action] : undefined;
        setText(find(button, ".action-name"), ofEvenMoney ?? ACTION_NAMES[action] ?? action);
        const cost = ofEvenMoney ? "" : hand.stake && COSTS[action]?.(hand);
        setText(find(button, ".cost"), cost || "");
        drawWorth(button, action, hint);
      });
    },
  };
}
