/** Title and icon of the tab: they show when the table waits for me. */

/** @typedef {ReturnType<typeof createTabTitle>} Tab */

/** @param {{turnIcon: string}} options `turnIcon`: the URL of the icon for my turn. */
export function createTabTitle({ turnIcon }) {
  const title = document.title;
  const icon = /** @type {HTMLLinkElement|null} */ (document.querySelector("link[rel='icon']"));
  const usualIcon = icon?.getAttribute("href") ?? "";
  let called = "";

  return {
    /** @param {string} word my decision, such as "Your turn"; "" for none */
    call(word) {
      if (word === called) return;
      called = word;
      document.title = word ? `${word} – ${title}` : title;
      icon?.setAttribute("href", word ? turnIcon : usualIcon);
    },
  };
}
