/** Menus that a browser opens by itself: it does not close them by Escape. */

/** Escape in an open menu closes it, and its button has the focus. */
export function closeMenusByEscape() {
  document.addEventListener("keydown", (event) => {
    const at = event.target;
    const menu = at instanceof Element ? at.closest("details.account-menu[open]") : null;
    if (event.key !== "Escape" || !menu) return;
    event.preventDefault();
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus();
  });
}
