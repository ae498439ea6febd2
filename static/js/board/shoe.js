/** The shoe: how much of it is left, where the cut card lies, and the seal on its order. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, find, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

/** @import { Shoe, Table } from "../model/table_model.js" */

/** The first letters of a seal, enough to compare it with another. @param {string} commitment */
function shortenSeal(commitment) {
  return `${commitment.slice(0, 4)}…`;
}

/** "78 left of 312 · cut card in 12". @param {Shoe} shoe */
function formatMeter({ size, left, cut }) {
  if (cut === null) return gettext("%(left)s of %(size)s left", { left, size });
  const ahead = cut - (size - left);
  if (ahead > 0)
    return gettext("%(left)s of %(size)s left · cut card in %(ahead)s", { left, size, ahead });
  return gettext("%(left)s of %(size)s left · cut card is out", { left, size });
}

/**
 * @param {HTMLElement} button opens the dialog with the seal
 * @param {{long_shoe: boolean, piles: boolean}} rules a shoe that serves one round, or that lies
 *   there as a deck, needs no meter.
 */
export function createShoe(button, { long_shoe: isLong, piles: hasPiles }) {
  /** @param {string} name */
  const part = (name) => find(button, `.shoe-${name}`);
  const meter = part("meter");
  meter.hidden = !isLong || hasPiles;
  wireDialog(byId("shoe-dialog", HTMLDialogElement), button);

  return {
    /** @param {Table} table */
    draw({ shoe }) {
      button.hidden = !shoe?.commitment && meter.hidden;
      if (!shoe) return;
      const words = formatMeter(shoe);
      setText(part("left"), words);
      setText(byId("shoe-meter-words"), meter.hidden ? "" : words);
      meter.style.setProperty("--share", String(shoe.left / shoe.size));
      meter.style.setProperty("--cut", String(shoe.cut === null ? 0 : 1 - shoe.cut / shoe.size));
      const seal = part("seal");
      seal.hidden = !shoe.commitment;
      seal.title = shoe.commitment;
      setText(part("short"), shortenSeal(shoe.commitment));
      setText(byId("shoe-title"), gettext("Shoe %(shoe)s", { shoe: shoe.number }));
      setText(byId("shoe-full"), shoe.commitment);
      setText(byId("shoe-label"), `shoe:${shoe.id}`);
    },
  };
}
