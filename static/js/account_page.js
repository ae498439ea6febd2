/** The account page: the settings of the table, stored in this browser. */
import { ignoreDoubleSubmit } from "./lib/double_submit.js";
import { storeZone } from "./lib/zone.js";
import { registerServiceWorker } from "./net/register_worker.js";
import { createDesktopNotifications } from "./notices/desktop_notifications.js";
import { createSound } from "./notices/sound.js";
import { wireSettingsDialog } from "./settings/settings_dialog.js";
import { createSettings } from "./settings/settings_store.js";
import { wireBell } from "./social/bell.js";

storeZone();
ignoreDoubleSubmit();
registerServiceWorker();
wireBell();

const settings = createSettings();
const sound = createSound({ isOn: () => settings.is("sound") });
const notices = createDesktopNotifications({
  title: document.title,
  icon: "",
  isWanted: () => settings.is("notices"),
});
wireSettingsDialog({ settings, notices, sound });
