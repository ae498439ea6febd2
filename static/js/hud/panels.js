/** The panels around the board: figures, log, rules, and the button to leave. */
import {
  byId,
  el,
  find,
  findAll,
  getChildren,
  reconcile,
  setAttribute,
  setText,
} from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { formatLimits, formatMoney } from "../text/format.js";
import { formatSession } from "../text/session_time.js";

/**
 * @import { Rules, Seat } from "../model/table_model.js"
 * @typedef {ReturnType<typeof wireLeave>} Leave
 * @typedef {ReturnType<typeof createSheets>} Sheets
 * @typedef {{rules: Rules, mine: Seat|undefined, rack: number|null, hasChips: boolean, balance: number|null, you: string|null, now: number}} Figures
 */

const MESSAGES_SHOWN_FOR = 12_000;
/** For so many milliseconds after a sheet closes by itself, presses on the buttons below are ignored. */
const HELD_FOR = 800;

/**
 * Limits, my stake, the dealer's account where it matches stakes, my balance or my stack of table chips,
 * and my time at the table.
 * @param {Element} list @param {Figures} all
 */
export function drawStats(list, { rules, mine, rack, hasChips, balance, you, now }) {
  /** @type {[key: string, name: string, value: string, before?: string, spelled?: string][]} */
  const figures = [];
  if (rules.stakes) figures.push(["stakes", gettext("Bets"), formatLimits(rules.stakes)]);
  if (rules.stakes && mine)
    figures.push(["your-stake", gettext("Your bet"), formatMoney(sumStakes(mine))]);
  if (rack !== null) figures.push(["rack", gettext("Dealer's chips"), formatMoney(rack)]);
  if (rules.stakes && you !== null && balance !== null)
    figures.push([
      hasChips ? "stack" : "balance",
      hasChips ? gettext("Chips of this table") : gettext("Balance"),
      formatMoney(balance),
    ]);
  const session = formatSession(mine, now, rules);
  if (session) {
    const { time, result, spelled } = session;
    figures.push(["session", gettext("This session"), result, time, spelled]);
  }
  byId("figures-toggle").hidden = !figures.length;
  reconcile(
    list,
    figures,
    ([key]) => key,
    ([key, name]) =>
      el(
        "div",
        { class: "figure", "data-figure": key },
        el("dt", {}, name),
        el(
          "dd",
          {},
          el("span", { class: "figure-time" }),
          el("span", { class: "figure-value" }),
          el("span", { class: "visually-hidden" }),
        ),
      ),
    (node, [, , value, before = "", spelled = ""]) => {
      const [time, display, spoken] = getChildren(find(node, "dd"));
      setText(time, before);
      setText(display, value);
      setAttribute(display, "aria-hidden", spelled ? "true" : null);
      setAttribute(display, "title", spelled || null);
      setText(spoken, spelled);
    },
  );
}

/** @param {Seat} seat */
function sumStakes({ stake, hands }) {
  return stake ?? hands.reduce((sum, hand) => sum + (hand.outcome ? 0 : hand.stake), 0);
}

/**
 * The button that leaves the seat; it asks first when a hand is in play, or a match.
 * @param {{mustAsk: () => boolean, leave: () => void}} options
 */
export function wireLeave({ mustAsk, leave }) {
  const button = byId("leave");
  const dialog = byId("leave-dialog", HTMLDialogElement);
  button.addEventListener("click", () => (mustAsk() ? dialog.showModal() : leave()));
  byId("leave-no").addEventListener("click", () => dialog.close());
  byId("leave-yes").addEventListener("click", () => {
    dialog.close();
    leave();
  });
  return {
    /** @param {Seat|undefined} mine */
    draw(mine) {
      button.hidden = !mine || mine.leaving;
      if (button.hidden && dialog.open) dialog.close();
    },
  };
}

/**
 * On a phone the log and the chat lie over the felt. They say what the table waits for, and close when my
 * turn comes: a press that was meant for one of them decides nothing then.
 */
export function createSheets() {
  const toggles = [byId("log-toggle"), byId("chat-toggle")];
  const decisions = byId("console");
  const heads = [...document.querySelectorAll(".sheet-status")];
  let wasMyTurn = false;
  let heldUntil = 0;
  /** @param {HTMLElement} toggle */
  const isOver = (toggle) =>
    toggle.checkVisibility() && toggle.getAttribute("aria-expanded") === "true";
  decisions.addEventListener(
    "click",
    (event) => {
      // A key that is pressed on a button is a click without a count.
      if (!event.detail || performance.now() >= heldUntil) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
  // Also when the focus is elsewhere, as after a press on the felt.
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
      const [open] = toggles.filter(isOver);
      if (!open) return;
      event.stopPropagation();
      open.click();
      open.focus();
    },
    { capture: true },
  );
  return {
    /** Where the seconds of the clock are shown. */
    seconds: heads.map((head) => find(head, ".sheet-seconds")),
    /** @param {boolean} isMyTurn @param {string} status */
    draw(isMyTurn, status) {
      for (const head of heads) {
        head.classList.toggle("is-mine", isMyTurn);
        setText(find(head, ".sheet-main"), status);
      }
      if (isMyTurn === wasMyTurn) return;
      wasMyTurn = isMyTurn;
      if (!isMyTurn) return;
      const open = toggles.filter(isOver);
      for (const toggle of open) toggle.click();
      if (open.length) {
        heldUntil = performance.now() + HELD_FOR;
        decisions.focus({ preventScroll: true });
      }
      byId("shoe-dialog", HTMLDialogElement).close();
    },
  };
}

/** The server's messages of the page load: shown over the felt for some seconds. A frozen account stays
 * told. */
function wireMessages() {
  const messages = document.querySelectorAll(".messages:not(#frozen) .message");
  for (const message of messages) message.addEventListener("click", () => message.remove());
  setTimeout(() => messages.forEach((message) => message.remove()), MESSAGES_SHOWN_FOR);
}

/** The log and the rules, which open from buttons on the felt, and the figures of the bar. */
export function wirePanels() {
  wireLog();
  wireRules();
  wireStats();
  wireMessages();
}

/** On a narrow screen the bar has room for the balance alone; a press on it shows the rest, and links. */
function wireStats() {
  const toggle = byId("figures-toggle");
  const panel = byId("figures-panel");
  const box = find(document, ".figures-box");
  /** @param {boolean} isOpen */
  const set = (isOpen) => {
    // The figures leave the bar: their place stays, or the buttons beside it would move.
    box.style.minWidth = isOpen ? `${box.offsetWidth}px` : "";
    panel.classList.toggle("is-open", isOpen);
    setAttribute(toggle, "aria-expanded", String(isOpen));
  };
  toggle.addEventListener("click", () => set(toggle.getAttribute("aria-expanded") !== "true"));
  toggle.addEventListener("keydown", ({ key }) => key === "Escape" && set(false));
  panel.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    set(false);
    toggle.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target !== toggle && !(target instanceof Node && panel.contains(target))) set(false);
  });
}

/** The rules of this table, one click away; Escape or a click beside them closes. */
function wireRules() {
  const dialog = byId("rules-dialog", HTMLDialogElement);
  byId("rules-open").addEventListener("click", () => dialog.showModal());
  byId("rules-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
}

/** On a narrow screen the log is collapsed; it is still read out. */
function wireLog() {
  const toggle = byId("log-toggle");
  const panel = byId("log-panel");
  const log = byId("log");
  /** @param {boolean} isOpen */
  const set = (isOpen) => {
    panel.classList.toggle("is-open", isOpen);
    toggle.setAttribute("aria-expanded", String(isOpen));
    beReachable();
    if (!isOpen) return;
    log.scrollTop = log.scrollHeight;
    byId("log-close").focus({ preventScroll: true });
  };
  const isBeside = window.matchMedia("(min-width: 1100px) and (min-height: 521px)");
  const beReachable = () => {
    const isReachable = isBeside.matches || panel.classList.contains("is-open");
    setAttribute(log, "tabindex", isReachable ? "0" : null);
    for (const link of findAll(log, "a")) setAttribute(link, "tabindex", isReachable ? null : "-1");
  };
  isBeside.addEventListener("change", beReachable);
  new MutationObserver(beReachable).observe(log, { childList: true, subtree: true });
  beReachable();
  toggle.addEventListener("click", () => set(toggle.getAttribute("aria-expanded") !== "true"));
  byId("log-close").addEventListener("click", () => {
    set(false);
    toggle.focus();
  });
}
