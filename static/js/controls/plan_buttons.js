/** The choices of a player whose hand waits for its turn: one of them, or none. */
import { el, setAttribute } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { getKey } from "./shortcuts.js";

/** @import { Table } from "../model/table_model.js" */

/** @type {Record<Wire.Plan, {words: string, command: string}>} */
const PLANS = {
  stand: { words: gettext("Stand"), command: "planStand" },
  hit_to_17: { words: gettext("Hit to hard 17"), command: "planHit" },
  best: { words: gettext("Best play"), command: "planBest" },
};
const LABEL = gettext("Decide ahead");
const HELP = gettext(
  "Played for you when your turn comes. “Hit to hard 17” also hits a soft 17, and stands on soft 18.",
);

/** @param {{decideAhead: (plan: Wire.Plan|null) => void}} options */
export function createPlanButtons({ decideAhead }) {
  /** @type {Wire.Plan|null} */
  let chosen = null;
  let isWaiting = false;
  let hasHints = false;

  /** Chooses the plan of a button or key, or takes it back. Returns whether it did. @param {string} command */
  function run(command) {
    const plan = /** @type {Wire.Plan[]} */ (Object.keys(PLANS)).find(
      (one) => PLANS[one].command === command,
    );
    if (!plan || isWaiting || (plan === "best" && !hasHints)) return false;
    decideAhead(plan === chosen ? null : plan);
    return true;
  }

  const buttons = Object.entries(PLANS).map(([plan, { words, command }]) =>
    el(
      "button",
      {
        type: "button",
        class: "action is-plan",
        "data-plan": plan,
        "aria-pressed": "false",
        "aria-describedby": "plan-help",
        "aria-keyshortcuts": getKey(command),
        onclick: () => run(command),
      },
      el("span", { class: "action-name" }, words),
      " ",
      el("kbd", { "aria-hidden": "true" }, getKey(command)),
    ),
  );

  return {
    node: el(
      "div",
      { class: "plans" },
      el("p", { class: "plans-label", id: "plan-label" }, LABEL),
      el(
        "div",
        { class: "actions is-plans", role: "group", "aria-labelledby": "plan-label" },
        ...buttons,
      ),
      el("p", { class: "plan-help", id: "plan-help" }, HELP),
    ),
    run,
    /** @param {Table} table @param {Wire.Plan|null} plan @param {boolean} waiting */
    draw(table, plan, waiting) {
      chosen = plan;
      isWaiting = waiting;
      hasHints = table.hints_allowed;
      for (const button of buttons) {
        const isChosen = button.dataset.plan === plan;
        setAttribute(button, "aria-pressed", String(isChosen));
        setAttribute(button, "aria-disabled", waiting ? "true" : null);
        button.hidden = button.dataset.plan === "best" && !hasHints;
      }
    },
  };
}
