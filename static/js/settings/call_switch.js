/** The switch for calls by push messages, on this device and for this session. */
import { byId, find, findAll, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

const WORDS = {
  on: gettext("On"),
  off: gettext("Off"),
  denied: gettext(
    "Your browser blocks notifications from this site. You can allow them in its site settings.",
  ),
  failed: gettext("This browser can't be called at the moment. Try again later."),
};

/** Shows the switch where the browser can be called. @param {{refuse: (words: string) => void}} options */
export async function wireCallSwitch({ refuse }) {
  const form = /** @type {HTMLFormElement|null} */ (document.getElementById("call-form"));
  const hasPush = "serviceWorker" in navigator && "PushManager" in window;
  if (!form || !hasPush || !("Notification" in window)) return;
  const { source = "", end = "", kinds: ofKinds = "" } = form.dataset;
  const kinds = byId("call-kinds");
  const boxes = findAll(kinds, "input", HTMLInputElement);
  const button = byId("calls-switch", HTMLButtonElement);
  let isOn = false;
  let key = "";

  function draw() {
    setAttribute(button, "aria-checked", String(isOn));
    setText(find(button, ".switch-state"), isOn ? WORDS.on : WORDS.off);
    kinds.hidden = !isOn;
  }

  /** @param {Record<string, boolean>} chosen */
  function check(chosen) {
    for (const box of boxes) box.checked = chosen[box.name];
  }

  async function choose() {
    const chosen = boxes.filter(({ checked }) => checked).map(({ name }) => [name, "on"]);
    refuse("");
    try {
      await post(ofKinds, Object.fromEntries(chosen));
    } catch {
      refuse(WORDS.failed);
    }
  }

  /** @param {string} url @param {Record<string, string>} fields */
  async function post(url, fields) {
    const body = new URLSearchParams({
      csrfmiddlewaretoken: find(form ?? document, "[name=csrfmiddlewaretoken]", HTMLInputElement)
        .value,
      ...fields,
    });
    const answer = await fetch(url, { method: "POST", body });
    // Led to the login page: the session has ended.
    if (!answer.ok || answer.redirected) throw new Error(`${url}: ${answer.status}`);
    return answer.json();
  }

  async function turnOn() {
    if ((await Notification.requestPermission()) !== "granted") return refuse(WORDS.denied);
    const { pushManager } = await navigator.serviceWorker.ready;
    const options = { userVisibleOnly: true, applicationServerKey: key };
    const { endpoint = "", keys } = (await pushManager.subscribe(options)).toJSON();
    const data = await post(source, {
      endpoint,
      p256dh: keys?.p256dh ?? "",
      auth: keys?.auth ?? "",
    });
    check(data.kinds);
    isOn = true;
  }

  async function turnOff() {
    await post(end, {});
    isOn = false;
    const { pushManager } = await navigator.serviceWorker.ready;
    await (await pushManager.getSubscription())?.unsubscribe();
  }

  button.addEventListener("click", async () => {
    refuse("");
    button.disabled = true;
    try {
      await (isOn ? turnOff() : turnOn());
    } catch {
      refuse(WORDS.failed);
    }
    button.disabled = false;
    draw();
  });

  for (const box of boxes) box.addEventListener("change", choose);

  try {
    const answer = await fetch(source, { headers: { "X-Requested-With": "fetch" } });
    const data = await answer.json();
    ({ isOn, key } = data);
    check(data.kinds);
  } catch {
    return; // Without a line, or after a log-out elsewhere, there is no switch.
  }
  draw();
  form.hidden = false;
}
