/** Menus made with `<details>`. Browsers do not close them on Escape. */

/** Closes an open menu on Escape, and moves the focus to its button. */
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
