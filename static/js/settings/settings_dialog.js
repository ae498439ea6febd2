/** The settings dialog: its switches, and their effects on the page. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, el, find, reconcile, setAttribute, setClasses, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { wireCallSwitch } from "./call_switch.js";

/**
 * @import { Notices } from "../notices/desktop_notifications.js"
 * @import { Sound } from "../notices/sound.js"
 * @import { Setting, Settings } from "./settings_store.js"
 * @typedef {{name: Setting, label: string, help: string, key?: string}} Switch
 */

const WORDS = {
  on: gettext("On"),
  off: gettext("Off"),
  stillComputer: gettext("Your system settings reduce motion, so animation stays off."),
};

/** @type {Switch[]} */
const SWITCHES = [
  {
    name: "costs",
    label: gettext("Cost of decisions"),
    help: gettext(
      "After each round, what your decisions cost and what was best. Only you see it, but for the sum in a match.",
    ),
  },
  {
    name: "sound",
    label: gettext("Sound"),
    help: gettext("For cards, chips, your turn and results."),
    key: "M",
  },
  {
    name: "notices",
    label: gettext("Notifications"),
    help: gettext("When it is your turn and this page is in the background."),
  },
  {
    name: "fourColours",
    label: gettext("Four-colour deck"),
    help: gettext("Diamonds are blue, clubs green."),
  },
  { name: "motion", label: gettext("Animation"), help: gettext("Cards and chips move.") },
  {
    name: "keys",
    label: gettext("Shortcut keys"),
    help: gettext("At a table one key bets, decides and more. Off for dictation, for example."),
  },
  {
    name: "shortSpeech",
    label: gettext("Short announcements"),
    help: gettext(
      "A screen reader announces only rounds, your turn, your result and the dealer's.",
    ),
  },
];

/**
 * @param {{settings: Settings, notices: Notices, sound: Sound}} options
 * @returns {{toggleSound: () => void}}
 */
export function wireSettingsDialog({ settings, notices, sound }) {
  const isAtTable = document.getElementById("settings-dialog") !== null;
  const list = byId("settings-switches");
  const stillness = window.matchMedia("(prefers-reduced-motion: reduce)");

  /** @param {Setting} name */
  function toggle(name) {
    settings.set(name, !settings.is(name));
    if (name === "sound") soundUp();
    if (name === "notices" && settings.is(name)) askForNotices();
  }

  /** Play a sound as confirmation. */
  function soundUp() {
    sound.wake();
    setTimeout(() => sound.make("chip"), 120);
  }

  async function askForNotices() {
    const hindrance = await notices.allow();
    if (hindrance) settings.set("notices", false);
    setText(byId("settings-refusal"), hindrance);
  }

  /** @param {Switch} entry */
  function createSwitch({ name, label, key }) {
    const button = el(
      "button",
      {
        type: "button",
        class: "switch",
        role: "switch",
        "data-setting": name,
        onclick: () => toggle(name),
        "aria-keyshortcuts": isAtTable ? key : null,
        "aria-describedby": `help-${name}`,
        "aria-label": label,
      },
      el(
        "span",
        { class: "switch-words" },
        el("b", {}, label),
        el("span", { class: "switch-help", id: `help-${name}` }),
      ),
      el("span", { class: "switch-state", "aria-hidden": "true" }),
    );
    return el("li", {}, button);
  }

  /** @param {Element} row @param {Switch} entry */
  function drawSwitch(row, { name, help }) {
    const button = find(row, "button");
    const isOn = settings.is(name);
    setAttribute(button, "aria-checked", String(isOn));
    setText(find(button, ".switch-state"), isOn ? WORDS.on : WORDS.off);
    setText(
      find(button, ".switch-help"),
      name === "motion" && stillness.matches ? WORDS.stillComputer : help,
    );
  }

  function draw() {
    setClasses(document.documentElement, {
      "has-four-colours": settings.is("fourColours"),
      "is-still": !settings.is("motion"),
      "has-no-keys": !settings.is("keys"),
    });
    reconcile(list, SWITCHES, ({ name }) => name, createSwitch, drawSwitch);
  }

  /** @param {string} words */
  const refuse = (words) => setText(byId("settings-refusal"), words);
  /** At a table the site is asked about calls when somebody opens the dialog. */
  let hasCalls = isAtTable;

  if (isAtTable)
    wireDialog(byId("settings-dialog", HTMLDialogElement), byId("settings-open"), () => {
      refuse(notices.hindrance);
      if (hasCalls) wireCallSwitch({ refuse });
      hasCalls = false;
    });
  else wireCallSwitch({ refuse });
  stillness.addEventListener("change", draw);
  settings.follow(draw);

  return {
    toggleSound() {
      toggle("sound");
    },
  };
}
