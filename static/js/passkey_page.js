/** Pages with a form that a passkey fills: log-in, confirmation, a new passkey. */
import { gettext } from "./lib/i18n.js";
import { createPasskey, hasPasskeys, usePasskey } from "./lib/passkeys.js";

/** @import { CreationOptions, RequestOptions } from "./lib/passkeys.js" */

const WORDS = {
  none: gettext("This browser has no passkeys here. They need https."),
  failed: gettext("That did not work, or it was cancelled. Try again."),
  known: gettext("This passkey is already added."),
  failedToLoad: gettext("Too many tries. Wait a few minutes."),
};

for (const form of document.querySelectorAll("form.passkey-form")) {
  if (form instanceof HTMLFormElement) wire(form);
}

/** @param {HTMLFormElement} form */
function wire(form) {
  const isLogin = form.classList.contains("is-login");
  if (isLogin) form.hidden = !hasPasskeys();
  let isBusy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    try {
      if (!hasPasskeys()) throw new Refused(WORDS.none);
      const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("credential"));
      field.value = await answer(form, isLogin);
      form.submit();
    } catch (error) {
      show(form, describe(error));
    } finally {
      isBusy = false;
    }
  });
  // Without this script the form would be sent without a passkey.
  for (const button of form.querySelectorAll("button")) button.disabled = false;
}

class Refused extends Error {}

/** @param {HTMLFormElement} form @param {boolean} isLogin @returns {Promise<string>} */
async function answer(form, isLogin) {
  if (isLogin) return usePasskey(await loadOptions(form.action));
  const options = JSON.parse(
    document.getElementById(form.dataset.options ?? "")?.textContent ?? "",
  );
  if (!form.classList.contains("is-new"))
    return usePasskey(/** @type {RequestOptions} */ (options));
  const passwordless = form.elements.namedItem("passwordless");
  const isPasswordless = passwordless instanceof HTMLInputElement && passwordless.checked;
  return createPasskey(/** @type {CreationOptions} */ (options), isPasswordless);
}

/** @param {string} address @returns {Promise<RequestOptions>} */
async function loadOptions(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Refused(WORDS.failedToLoad);
  return (await response.json()).request_options;
}

/** @param {unknown} error */
function describe(error) {
  if (error instanceof Refused) return error.message;
  const name = error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") return WORDS.known;
  // An address that is a number, such as 192.168.1.5.
  if (name === "SecurityError") return WORDS.none;
  return WORDS.failed;
}

/** @param {HTMLFormElement} form @param {string} words */
function show(form, words) {
  const place = form.querySelector(".passkey-error");
  if (!(place instanceof HTMLElement)) return;
  place.textContent = words;
  place.hidden = false;
}
