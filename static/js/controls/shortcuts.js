/** All keys of the table. Listeners, buttons and the list behind `?` use this table. */
import { gettext } from "../lib/i18n.js";

/** @import { Rules } from "../model/table_model.js" */

const DECISION = gettext("Your turn");
const STAKE = gettext("Your bet");
const AHEAD = gettext("Decide ahead");
const AGAIN = gettext("The next round");
const LINE = gettext("The line for a seat");
const TABLE = gettext("The table");

/**
 * @typedef {{command: string, keys: string[], does: string, group: string, shown?: string,
 *   isFor?: (rules: Rules) => boolean}} Key
 *   `keys` as a keyboard names them, letters in capitals; `shown`: how the list writes them;
 *   `isFor`: the rules under which the key has a meaning.
 */

/** @param {Rules} rules */
const withStakes = (rules) => rules.stakes !== null;
/** @param {Rules} rules */
const withoutStakes = (rules) => rules.stakes === null;
/** @param {Rules} rules */
const withOthers = (rules) => !rules.piles;
/** Somebody may play before me. @param {Rules} rules */
const withSeveral = (rules) => rules.seats > 1;
/** The chat listens to its own key. */
const hasChat = () => document.getElementById("chat-input") !== null;

/** @type {Key[]} */
const KEYS = [
  { command: "hit", keys: ["H"], does: gettext("Hit"), group: DECISION },
  { command: "stand", keys: ["S"], does: gettext("Stand"), group: DECISION },
  { command: "double", keys: ["D"], does: gettext("Double"), group: DECISION, isFor: withStakes },
  { command: "split", keys: ["P"], does: gettext("Split"), group: DECISION, isFor: withStakes },
  {
    command: "surrender",
    keys: ["U"],
    does: gettext("Surrender"),
    group: DECISION,
    isFor: (rules) => rules.surrender,
  },
  {
    command: "insure",
    keys: ["I"],
    does: gettext("Take insurance"),
    group: DECISION,
    isFor: (rules) => rules.insurance,
  },
  {
    command: "decline",
    keys: ["N"],
    does: gettext("No insurance"),
    group: DECISION,
    isFor: (rules) => rules.insurance,
  },

  {
    command: "planStand",
    keys: ["J"],
    does: gettext("Stand when my turn comes, or not"),
    group: AHEAD,
    isFor: withSeveral,
  },
  {
    command: "planHit",
    keys: ["K"],
    does: gettext("Hit to hard 17 when my turn comes, or not"),
    group: AHEAD,
    isFor: withSeveral,
  },
  {
    command: "planBest",
    keys: ["L"],
    does: gettext("Best play when my turn comes, or not"),
    group: AHEAD,
    isFor: withSeveral,
  },

  {
    command: "chip",
    keys: [..."123456789"],
    shown: "1 – 9",
    does: gettext("Add a chip (1 is the leftmost)"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "undo",
    keys: ["Backspace"],
    does: gettext("Remove the last chip"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "clear",
    keys: ["X"],
    does: gettext("Clear the bet"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "twice",
    keys: ["D"],
    does: gettext("Double the bet"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "allIn",
    keys: ["A"],
    does: gettext("All in (asks first)"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "bet",
    keys: ["Enter"],
    does: gettext("Place the bet"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "rebet",
    keys: ["R"],
    does: gettext("Rebet"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "auto",
    keys: ["O"],
    does: gettext("Auto-rebet on or off"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "change",
    keys: ["B"],
    does: gettext("Change the bet before the deal"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "takeBack",
    keys: ["T"],
    does: gettext("Undo the bet before the deal"),
    group: STAKE,
    isFor: withStakes,
  },
  {
    command: "keep",
    keys: ["Escape"],
    does: gettext("Keep the bet as it was"),
    group: STAKE,
    isFor: withStakes,
  },

  {
    command: "yes",
    keys: ["Y", "R", "Enter"],
    does: gettext("Yes, deal me in"),
    group: AGAIN,
    isFor: withoutStakes,
  },
  {
    command: "no",
    keys: ["N"],
    does: gettext("No, leave"),
    group: AGAIN,
    isFor: (rules) => rules.again,
  },
  {
    command: "takeBack",
    keys: ["T"],
    does: gettext("Sit this one out"),
    group: AGAIN,
    isFor: (rules) => withoutStakes(rules) && withOthers(rules),
  },

  { command: "queueUp", keys: ["L"], does: gettext("Get in line"), group: LINE },
  { command: "takeSeat", keys: ["Y"], does: gettext("Take the offered seat"), group: LINE },
  { command: "refuseSeat", keys: ["N"], does: gettext("Decline the offered seat"), group: LINE },

  {
    command: "chat",
    keys: ["C"],
    does: gettext("Write in the chat"),
    group: TABLE,
    isFor: hasChat,
  },
  {
    command: "react",
    keys: ["E"],
    does: gettext("React, then 1 – 6"),
    group: TABLE,
    isFor: hasChat,
  },
  {
    command: "balance",
    keys: ["W"],
    does: gettext("Show and read out the balance"),
    group: TABLE,
    isFor: withStakes,
  },
  {
    command: "status",
    keys: ["Q"],
    does: gettext("Read out what the table waits for, and the time left"),
    group: TABLE,
  },
  { command: "sitOut", keys: ["G"], does: gettext("Sit out, or be back in"), group: TABLE },
  { command: "sound", keys: ["M"], does: gettext("Sound on or off"), group: TABLE },
  { command: "list", keys: ["?"], does: gettext("This list"), group: TABLE },
];

/** @type {Record<string, string>} */
const NAMES = { Backspace: "⌫ Backspace", Escape: "Esc" };
/** These move the page or the focus, or are held for another key: they are never "any other key". */
const IDLE =
  /^(Tab|Shift|Control|Alt|AltGraph|Meta|CapsLock|Arrow.*|Page.*|Home|End|F\d+|Unidentified|Dead|Process)$/;

/** The label of a command's key; "" for one without a key. @param {string} command */
export function getKey(command) {
  return KEYS.find((key) => key.command === command)?.keys[0] ?? "";
}

/**
 * The list of keys that have a meaning under these rules, in groups.
 * @returns {{name: string, keys: {shown: string[], does: string}[]}[]}
 * @param {Rules} rules
 */
export function listKeys(rules) {
  const shortcuts = KEYS.filter(({ isFor }) => !isFor || isFor(rules));
  return [...new Set(shortcuts.map(({ group }) => group))].map((name) => ({
    name,
    keys: shortcuts
      .filter(({ group }) => group === name)
      .map(({ keys, shown, does }) => ({
        shown: shown ? [shown] : keys.map((key) => NAMES[key] ?? key),
        does,
      })),
  }));
}

/**
 * Listens. A key that belongs to a text field, to an open dialog, to another program or to the
 * button that has the focus is left alone, and so is one that is held down.
 * @param {{rules: Rules, areOn: () => boolean, run: (command: string, key: string) => boolean, onOther: () => boolean}} options
 *   `run` returns whether the command did anything; so does `onOther`, for every other key.
 */
export function listenForKeys({ rules, areOn, run, onOther }) {
  const shortcuts = KEYS.filter(({ isFor }) => !isFor || isFor(rules));
  document.addEventListener("keydown", (event) => {
    if (!areOn() || event.defaultPrevented || event.isComposing || event.repeat) return;
    if (event.ctrlKey || event.altKey || event.metaKey || IDLE.test(event.key)) return;
    const at = event.target;
    if (!(at instanceof Element)) return;
    if (isTextField(at) || document.querySelector("dialog[open]")) return;
    if ((event.key === "Enter" || event.key === " ") && at.closest("button, a, summary")) return;
    const pressed = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    const didIt =
      shortcuts.some(({ command, keys }) => keys.includes(pressed) && run(command, pressed))
      || onOther();
    if (didIt) event.preventDefault();
  });
}

/** @param {Element} node */
function isTextField(node) {
  return Boolean(
    node.closest(
      "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])",
    ),
  );
}
