/** The account page: the settings of the table, for this browser. */
import { createNotices } from "./notices.js";
import { wirePreferences } from "./preferences.js";
import { createSettings } from "./settings.js";
import { createSound } from "./sound.js";

const settings = createSettings();
const sound = createSound({ isOn: () => settings.is("sound") });
const notices = createNotices({ title: document.title, icon: "", isWanted: () => settings.is("notices") });
wirePreferences({ settings, notices, sound });
