/** The settings of this browser, the same in all its tabs. */

const KEY = "settings";
const USUAL = {
  sound: false,
  notices: false,
  fourColours: false,
  motion: true,
  keys: true,
  shortSpeech: false,
  costs: false,
};
const NAMES = /** @type {Setting[]} */ (Object.keys(USUAL));

/**
 * @typedef {keyof typeof USUAL} Setting
 * @typedef {ReturnType<typeof createSettings>} Settings
 */

export function createSettings() {
  /** @type {(() => void)[]} */
  const listeners = [];
  let chosen = read();

  const tell = () => listeners.forEach((listener) => listener());

  window.addEventListener("storage", ({ key }) => {
    if (key !== KEY) return;
    chosen = read();
    tell();
  });

  return {
    /** @param {Setting} name */
    is: (name) => chosen[name],
    /** @param {Setting} name @param {boolean} isOn */
    set(name, isOn) {
      chosen = { ...chosen, [name]: isOn };
      try {
        localStorage.setItem(KEY, JSON.stringify(chosen));
      } catch {
        // Without storage the choice is lost with the page.
      }
      tell();
    },
    /** Calls `listener` now and after every change. @param {() => void} listener */
    follow(listener) {
      listeners.push(listener);
      listener();
    },
  };
}

/** Read only known names with boolean values: the storage may contain anything. */
function read() {
  const chosen = { ...USUAL };
  try {
    const values = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    for (const name of NAMES) if (typeof values?.[name] === "boolean") chosen[name] = values[name];
  } catch {
    // The usual, then.
  }
  return chosen;
}
