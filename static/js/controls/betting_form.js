/** The betting form: chips, tools, and the button that bets. */
import { el, reconcile, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { formatMoney } from "../text/format.js";
import { getKey } from "./shortcuts.js";

/** @import { Property } from "../lib/dom.js" */

const WORDS = {
  chips: gettext("Chips"),
  /** @param {number} chip */
  chip: (chip) => gettext("Add %(amount)s", { amount: formatMoney(chip) }),
  stake: gettext("Your bet"),
  back: gettext("Back"),
  backSpoken: gettext("Back, keep the bet"),
  auto: gettext("Auto-rebet"),
};
/** Name, text of the button, and its accessible label if that is not enough. */
const TOOLS = [
  ["undo", gettext("Undo")],
  ["clear", gettext("Clear")],
  ["twice", "2×", gettext("2×, double the bet")],
  ["allIn", gettext("All in")],
];

/**
 * @param {{
 *   chips: number[],
 *   run: (command: string, digit?: number) => boolean,
 *   onType: (text: string) => void,
 *   onSubmit: (isFromField: boolean) => void,
 *   onTouch: () => void,
 * }} options `onTouch` is called for every touch except that of the switch
 */
export function createBettingForm({ chips, run, onType, onSubmit, onTouch }) {
  /** @param {string} command @param {Record<string, Property>} props @param {...(Node|string)} children */
  const button = (command, props, ...children) =>
    el(
      "button",
      {
        type: "button",
        class: "button is-quiet",
        onclick: () => run(command),
        "aria-keyshortcuts": getKey(command),
        ...props,
      },
      ...children,
    );

  const tray = el("div", { class: "chips", role: "group", "aria-label": WORDS.chips });
  const tools = TOOLS.map(([name, words, spoken]) =>
    button(name, { class: "button is-quiet tool", "data-tool": name, "aria-label": spoken }, words),
  );
  /** @type {HTMLInputElement} */
  const input = el("input", {
    id: "stake-input",
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    maxlength: "12",
    "aria-describedby": "bet-why",
    oninput() {
      fitText();
      onType(input.value.trim());
    },
  });
  /** Large amounts are smaller: the field is as narrow as a phone needs it. */
  function fitText() {
    const { length } = input.value;
    setAttribute(input, "data-length", length > 6 ? "longest" : length > 4 ? "long" : null);
  }

  const main = el("button", { type: "submit", class: "button bet", "aria-describedby": "bet-why" });
  const back = button("keep", { "aria-label": WORDS.backSpoken }, WORDS.back);
  const auto = button(
    "auto",
    { class: "auto-rebet", role: "switch" },
    el("span", {}, WORDS.auto),
    el("span", { class: "auto-mark", "aria-hidden": "true" }),
  );
  const why = el("p", { class: "bet-why", id: "bet-why" });

  /** @param {Event} event */
  const touched = ({ target }) => (target instanceof Node && auto.contains(target)) || onTouch();
  const node = el(
    "form",
    {
      class: "betting",
      novalidate: true,
      onsubmit: handleSubmit,
      onpointerdown: touched,
      onkeydown: touched,
    },
    tray,
    el("div", { class: "bet-tools" }, ...tools),
    el(
      "div",
      { class: "bet-row" },
      el("label", { class: "stake-field" }, el("span", {}, WORDS.stake), input),
      main,
      back,
      auto,
    ),
    why,
  );

  /** @param {SubmitEvent} event */
  function handleSubmit(event) {
    event.preventDefault();
    onSubmit(document.activeElement === input);
  }

  /** @param {number} chip @param {number} index */
  function createChip(chip, index) {
    return button(
      "chip",
      {
        class: "chip",
        "data-chip": chip / 100,
        onclick: () => run("chip", index + 1),
        "aria-label": WORDS.chip(chip),
        "aria-keyshortcuts": index + 1,
      },
      el("span", {}, formatMoney(chip)),
    );
  }

  /** @param {Element} node @param {boolean} isFree */
  const bar = (node, isFree) => setAttribute(node, "aria-disabled", isFree ? null : "true");

  return {
    node,
    /**
     * @param {{can: (command: string, digit?: number) => boolean, stake: number, words: string, isFree: boolean, isWrong: boolean,
     *   isChange: boolean, isAuto: boolean, note: string}} view
     *   `words` of the button that bets, and whether it `isFree`; `isWrong`: the stake cannot be bet; `isChange`: a bet that lies there is changed
     */
    draw({ can, stake, words, isFree, isWrong, isChange, isAuto, note }) {
      reconcile(tray, chips, String, createChip, (chip, _, index) =>
        bar(chip, can("chip", index + 1)),
      );
      for (const tool of tools) bar(tool, can(tool.dataset.tool ?? ""));
      if (document.activeElement !== input) input.value = stake ? formatMoney(stake) : "";
      fitText();
      setAttribute(input, "aria-invalid", isWrong ? "true" : null);
      setText(main, words);
      bar(main, isFree);
      back.hidden = !isChange;
      auto.hidden = isChange;
      setAttribute(auto, "aria-checked", String(isAuto));
      setText(why, note);
    },
  };
}
