/** Short texts that a browser keeps for this tab alone, where it keeps any. */

/** @param {string} key @returns {string|null} */
export function recallKey(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} text */
export function storeKey(key, text) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing shows it again after a reload.
  }
}
