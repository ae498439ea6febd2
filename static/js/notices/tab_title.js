/** Title and icon of the tab: they show when the table waits for me. */

/** @typedef {ReturnType<typeof createTab>} Tab */

/** @param {{turnIcon: string}} options `turnIcon`: where the icon is that says it is my turn. */
export function createTab({ turnIcon }) {
  const title = document.title;
  const icon = /** @type {HTMLLinkElement|null} */ (document.querySelector("link[rel='icon']"));
  const usualIcon = icon?.getAttribute("href") ?? "";
  let called = "";

  return {
    /** @param {string} word what I am called to, such as "Your turn"; "" for nothing */
    call(word) {
      if (word === called) return;
      called = word;
      document.title = word ? `${word} – ${title}` : title;
      icon?.setAttribute("href", word ? turnIcon : usualIcon);
    },
  };
}
