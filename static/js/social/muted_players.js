/** The players muted in this browser, at every table. */

const KEY = "muted";

/** @typedef {ReturnType<typeof createMutedPlayers>} Muted */

/** @param {() => void} onChange also called when another page of mine changes it */
export function createMutedPlayers(onChange) {
  let names = read();

  /** @returns {Set<string>} */
  function read() {
    try {
      return new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
    } catch {
      return new Set();
    }
  }

  /** @param {string} name @param {boolean} isMuted */
  function change(name, isMuted) {
    if (isMuted) names.add(name);
    else names.delete(name);
    try {
      localStorage.setItem(KEY, JSON.stringify([...names]));
    } catch {
      // Without storage players are muted until the page is closed.
    }
    onChange();
  }

  window.addEventListener("storage", ({ key }) => {
    if (key !== KEY) return;
    names = read();
    onChange();
  });

  return {
    /** @param {string} name */
    has: (name) => names.has(name),
    all: () => [...names].sort(),
    /** @param {string} name */
    mute: (name) => change(name, true),
    /** @param {string} name */
    unmute: (name) => change(name, false),
  };
}
