/**
 * Small objects by name, stored in this browser for 30 days. If the storage is off or full, they
 * last as long as the page.
 */

const KEPT_FOR = 30 * 24 * 60 * 60_000;
/** So many of one kind, whatever the account: the oldest go first. */
const MOST = 3_000;
const TIDIED_AFTER = 200;

/**
 * @template {object} T
 * @param {string} kind the first part of every name
 */
export function createLocalRecords(kind) {
  /**
   * @typedef {T & {at: number}} Kept `at`: when it was stored
   * @type {Map<string, Kept>}
   */
  const inMemory = new Map();
  const start = `${kind}/`;
  let isLost = false;
  let written = 0;

  function names() {
    try {
      return Object.keys(localStorage)
        .filter((name) => name.startsWith(start))
        .map((name) => name.slice(start.length));
    } catch {
      return [];
    }
  }

  /** @param {string} name @returns {Kept|null} */
  function read(name) {
    try {
      const record = JSON.parse(localStorage.getItem(start + name) ?? "null");
      return typeof record?.at === "number" ? record : null;
    } catch {
      return null;
    }
  }

  /** Removes old records, and the oldest over the limit. */
  function tidy(most = MOST) {
    written = 0;
    const ages = names()
      .map((name) => ({ name, at: read(name)?.at ?? 0 }))
      .sort((one, other) => other.at - one.at);
    const limit = Date.now() - KEPT_FOR;
    ages
      .filter(({ at }, place) => at < limit || place >= most)
      .forEach(({ name }) => localStorage.removeItem(start + name));
    return ages.length;
  }

  /** @param {string} name @param {string} text */
  function write(name, text) {
    try {
      localStorage.setItem(start + name, text);
      return true;
    } catch {
      return false;
    }
  }

  tidy();

  return {
    /** Whether a record could not be stored and is lost with this page. */
    get isLost() {
      return isLost;
    },
    /** @param {string} name */
    get: (name) => inMemory.get(name) ?? read(name),
    /** @param {string} name @param {T & {at?: number}} value keeps its first time */
    set(name, value) {
      const record = { at: Date.now(), ...value };
      const text = JSON.stringify(record);
      written += 1;
      if (written > TIDIED_AFTER) tidy();
      if (write(name, text) || (tidy(Math.floor(tidy() / 2)) && write(name, text)))
        inMemory.delete(name);
      else {
        isLost = true;
        inMemory.set(name, record);
      }
    },
    /** All records whose name begins with `prefix`. @param {string} prefix @returns {{name: string, value: Kept}[]} */
    all(prefix) {
      const found = new Set(
        [...names(), ...inMemory.keys()].filter((name) => name.startsWith(prefix)),
      );
      return [...found].flatMap((name) => {
        const value = inMemory.get(name) ?? read(name);
        return value ? [{ name, value }] : [];
      });
    },
  };
}
