/** The dialog in which a watcher bets behind a seat, changes that bet or takes it back. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, el, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { formatMoney } from "../text/format.js";
import { createStake, listChips } from "./stake.js";

/**
 * @import { Backer } from "../model/table_model.js"
 * @typedef {{seat: number, player: string, laid: Backer|null, balance: number}} Opening `laid`: my bet behind at
 *   this table, which the next one replaces
 */

/**
 * @param {{stakes: Wire.Stakes, place: (seat: number, stake: number, along: boolean) => void,
 *   takeBack: () => void}} options
 */
export function createBehindDialog({ stakes, place, takeBack }) {
  const dialog = byId("behind-dialog", HTMLDialogElement);
  const form = byId("behind-form", HTMLFormElement);
  const input = byId("behind-stake", HTMLInputElement);
  const along = byId("behind-along", HTMLInputElement);
  const stake = createStake(stakes);
  let seat = 0;
  let isOld = true;

  const chips = listChips(stakes).map((chip) =>
    el(
      "button",
      {
        type: "button",
        class: "chip",
        "data-chip": chip / 100,
        "aria-label": gettext("Add %(amount)s", { amount: formatMoney(chip) }),
        onclick: () => add(chip),
      },
      el("span", {}, formatMoney(chip)),
    ),
  );
  byId("behind-chips").append(...chips);

  /** The stake that is there when it opens is replaced by the first chip. @param {number} chip */
  function add(chip) {
    if (!stake.canAdd(chip, isOld ? 0 : stake.sum())) return;
    if (isOld) stake.clear();
    stake.add(chip);
    isOld = false;
    draw(true);
  }

  /** @param {boolean} writes whether the field shows the sum */
  function draw(writes) {
    if (writes) input.value = stake.sum() ? formatMoney(stake.sum()) : "";
    const why = stake.objection();
    const message = stake.isEmpty && !stake.most() ? why : stake.isEmpty ? "" : why;
    setText(byId("behind-why"), message);
    setAttribute(input, "aria-invalid", message && !stake.isEmpty ? "true" : null);
    setText(
      byId("behind-yes"),
      stake.sum() ? gettext("Bet %(stake)s", { stake: formatMoney(stake.sum()) }) : gettext("Bet"),
    );
    setAttribute(byId("behind-yes"), "aria-disabled", why ? "true" : null);
    const base = isOld ? 0 : stake.sum();
    chips.forEach((chip, index) => {
      const isFree = stake.canAdd(listChips(stakes)[index], base);
      setAttribute(chip, "aria-disabled", isFree ? null : "true");
    });
  }

  wireDialog(dialog);
  input.addEventListener("input", () => {
    isOld = false;
    stake.type(input.value.trim());
    draw(false);
  });
  byId("behind-clear").addEventListener("click", () => {
    stake.clear();
    isOld = false;
    draw(true);
  });
  byId("behind-back").addEventListener("click", () => {
    dialog.close();
    takeBack();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const why = stake.objection();
    setText(byId("behind-why"), why);
    if (why) return;
    dialog.close();
    place(seat, stake.sum(), along.checked);
  });

  return {
    /** @param {Opening} opening */
    open({ seat: number, player, laid, balance }) {
      const before = laid ? laid.stakes[0] : 0;
      seat = number;
      isOld = true;
      stake.haveFunds(balance + before);
      stake.put(before || (stake.isLegal(stakes.minimum) ? stakes.minimum : 0));
      if (laid) along.checked = laid.along;
      setText(byId("behind-title"), gettext("Bet behind %(name)s", { name: player }));
      byId("behind-back").hidden = !laid;
      draw(true);
      dialog.showModal();
    },
    /** The cards are dealt, or nobody has the seat any more: nothing can be bet. */
    close: () => dialog.open && dialog.close(),
    /** The seat that the open dialog is about; 0 if it is closed. */
    get seat() {
      return dialog.open ? seat : 0;
    },
  };
}
