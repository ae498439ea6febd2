/** Connects everything that a player sets: settings, sound, keys, the tab and notifications. */

import { listenForKeys } from "../controls/shortcuts.js";
import { createShortcutsDialog } from "../controls/shortcuts_dialog.js";
import { byId } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { createDesktopNotifications } from "../notices/desktop_notifications.js";
import { createSound } from "../notices/sound.js";
import { createTabTitle } from "../notices/tab_title.js";
import { wireSettingsDialog } from "./settings_dialog.js";
import { createSettings } from "./settings_store.js";

/**
 * @import { Rules } from "../model/table_model.js"
 * @typedef {{mention: (text: string) => void, setShort: (isShort: boolean) => void}} Announcer
 */

const WORDS = { soundOn: gettext("Sound is on."), soundOff: gettext("Sound is off.") };

/**
 * @param {{rules: Rules, announcer: Announcer, run: (command: string, key: string) => boolean, skip: () => boolean}} options
 *   `run`: the command of a button; `skip`: ends the animation. Both return whether they did anything.
 */
export function wirePersonalSettings({ rules, announcer, run, skip }) {
  const { icon = "", turnIcon = "" } = byId("console").dataset;
  const settings = createSettings();
  const sound = createSound({ isOn: () => settings.is("sound") });
  const tab = createTabTitle({ turnIcon });
  const notices = createDesktopNotifications({
    title: document.title,
    icon,
    isWanted: () => settings.is("notices"),
  });
  const settingsDialog = wireSettingsDialog({ settings, notices, sound });
  settings.follow(() => announcer.setShort(settings.is("shortSpeech")));
  const keys = createShortcutsDialog({
    rules,
    openers: [byId("keys-open"), byId("settings-keys")],
  });

  /** @type {Record<string, () => void>} */
  const ofTable = {
    list: keys.open,
    sound() {
      settingsDialog.toggleSound();
      announcer.mention(settings.is("sound") ? WORDS.soundOn : WORDS.soundOff);
    },
  };

  listenForKeys({
    rules,
    areOn: () => settings.is("keys"),
    run(command, key) {
      if (!Object.hasOwn(ofTable, command)) return run(command, key);
      ofTable[command]();
      return true;
    },
    onOther: skip,
  });
  for (const place of ["felt", "console"])
    byId(place).addEventListener(
      "click",
      ({ target }) =>
        (target instanceof Element && target.closest("button, a, input, form")) || skip(),
    );

  return { settings, sound, tab, notices };
}
