/** What stands around the felt: the figures, the log's lid, and the way out. */
import { byId, el, reconcile, setAttribute, setText } from "./dom.js";
import { limits, money } from "./words.js";

/** Limits, my stake and my balance. */
export function drawFigures(list, { rules, mine, balance, you }) {
  const staked = mine ? (mine.stake ?? mine.hands.reduce((sum, hand) => sum + (hand.outcome ? 0 : hand.stake), 0)) : 0;
  const figures = [["Stakes", limits(rules.stakes)]];
  if (rules.stakes && mine) figures.push(["Your stake", money(staked)]);
  if (you !== null && balance !== null) figures.push(["Balance", money(balance)]);
  reconcile(
    list,
    figures,
    ([name]) => name,
    ([name]) => el("div", { class: "figure", "data-figure": name.toLowerCase().replace(" ", "-") }, el("dt", {}, name), el("dd", {})),
    (node, [, value]) => setText(node.lastElementChild, value),
  );
}

/** The button that leaves the seat; it asks first when a hand is in play. */
export function wireLeave({ hasHandInPlay, leave }) {
  const button = byId("leave");
  const dialog = byId("leave-dialog");
  button.addEventListener("click", () => (hasHandInPlay() ? dialog.showModal() : leave()));
  byId("leave-no").addEventListener("click", () => dialog.close());
  byId("leave-yes").addEventListener("click", () => {
    dialog.close();
    leave();
  });
  return {
    /** @param {import("./model.js").Seat|undefined} mine */
    draw(mine) {
      button.hidden = !mine || mine.leaving;
      if (button.hidden && dialog.open) dialog.close();
    },
  };
}

/** On a narrow screen the log lies under a lid; it is read out all the same. */
export function wireLog() {
  const toggle = byId("log-toggle");
  const panel = byId("log-panel");
  const set = (isOpen) => {
    panel.classList.toggle("is-open", isOpen);
    toggle.setAttribute("aria-expanded", String(isOpen));
    beReachable();
    if (isOpen) byId("log").scrollTop = byId("log").scrollHeight;
  };
  const isBeside = window.matchMedia("(min-width: 1100px) and (min-height: 521px)");
  const beReachable = () => setAttribute(byId("log"), "tabindex", isBeside.matches || panel.classList.contains("is-open") ? "0" : null);
  isBeside.addEventListener("change", beReachable);
  beReachable();
  toggle.addEventListener("click", () => set(toggle.getAttribute("aria-expanded") !== "true"));
  byId("log-close").addEventListener("click", () => {
    set(false);
    toggle.focus();
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") byId("log-close").click();
  });
}
