/** The account page: the settings of the table, stored in this browser. */
import { startPage } from "./net/start_page.js";
import { createDesktopNotifications } from "./notices/desktop_notifications.js";
import { createSound } from "./notices/sound.js";
import { wireSettingsDialog } from "./settings/settings_dialog.js";
import { createSettings } from "./settings/settings_store.js";
import { wireBell } from "./social/bell.js";

startPage();
wireBell();

const settings = createSettings();
const sound = createSound({ isOn: () => settings.is("sound") });
const notices = createDesktopNotifications({
  title: document.title,
  icon: "",
  isWanted: () => settings.is("notices"),
});
wireSettingsDialog({ settings, notices, sound });
