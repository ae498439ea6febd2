/** Whom I do not want to read: known to this browser alone, at every table. */

const KEY = "muted";

/** @param {() => void} onChange also called when another page of mine changes it */
export function createMuted(onChange) {
  let names = read();

  function read() {
    try {
      return new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
    } catch {
      return new Set();
    }
  }

  function change(name, isMuted) {
    if (isMuted) names.add(name);
    else names.delete(name);
    try {
      localStorage.setItem(KEY, JSON.stringify([...names]));
    } catch {
      // A browser that keeps nothing mutes for as long as the page is open.
    }
    onChange();
  }

  window.addEventListener("storage", ({ key }) => {
    if (key !== KEY) return;
    names = read();
    onChange();
  });

  return {
    has: (name) => names.has(name),
    all: () => [...names].sort(),
    mute: (name) => change(name, true),
    unmute: (name) => change(name, false),
  };
}
