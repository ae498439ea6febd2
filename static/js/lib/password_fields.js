/** Password fields: the button beside one shows what was typed. */

/** Wires the buttons of a page; without this script they stay hidden. */
export function wirePasswordFields() {
  for (const button of document.querySelectorAll("button.show-password")) {
    const field = button.parentElement?.querySelector("input");
    if (field instanceof HTMLInputElement) wire(/** @type {HTMLElement} */ (button), field);
  }
}

/** @param {HTMLElement} button @param {HTMLInputElement} field */
function wire(button, field) {
  /** @param {boolean} isShown */
  function show(isShown) {
    field.type = isShown ? "text" : "password";
    button.setAttribute("aria-pressed", String(isShown));
  }

  button.hidden = false;
  button.addEventListener("click", () => {
    show(field.type === "password");
    field.focus();
  });
  // Browsers offer to store a password only from a password field, and never suggest it elsewhere.
  field.form?.addEventListener("submit", () => show(false));
}
