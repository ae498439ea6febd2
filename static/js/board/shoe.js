/** The shoe: how much of it is left, where the cut card lies, and the seal on its order. */
import { find, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

/** @import { Shoe, Table } from "../model/table_model.js" */

/** The first letters of a seal, by which people tell it from another. @param {string} commitment */
export function shortSeal(commitment) {
  return `${commitment.slice(0, 6)}…`;
}

/** "78 left of 312 · cut card in 12". @param {Shoe} shoe */
export function meterWords({ size, left, cut }) {
  if (cut === null) return gettext("%(left)s left of %(size)s", { left, size });
  const ahead = cut - (size - left);
  if (ahead > 0)
    return gettext("%(left)s left of %(size)s · cut card in %(ahead)s", { left, size, ahead });
  return gettext("%(left)s left of %(size)s · cut card is out", { left, size });
}

/**
 * @param {HTMLDetailsElement} place the details element of the page
 * @param {{long_shoe: boolean, piles: boolean}} rules a shoe that serves one round, or that lies
 *   there as a deck, needs no meter.
 */
export function createShoe(place, { long_shoe: isLong, piles: hasPiles }) {
  /** @param {string} name */
  const part = (name) => find(place, `.shoe-${name}`);
  const meter = part("meter");
  meter.hidden = !isLong || hasPiles;
  wireClosing(place);

  return {
    /** @param {Table} table */
    draw({ shoe }) {
      place.hidden = !shoe?.commitment && meter.hidden;
      if (!shoe) return;
      setText(part("left"), meterWords(shoe));
      meter.style.setProperty("--share", String(shoe.left / shoe.size));
      meter.style.setProperty("--cut", String(shoe.cut === null ? 0 : 1 - shoe.cut / shoe.size));
      const seal = part("seal");
      seal.hidden = !shoe.commitment;
      seal.title = shoe.commitment;
      setText(part("short"), shortSeal(shoe.commitment));
      setText(part("number"), gettext("Shoe %(shoe)s", { shoe: shoe.id }));
      setText(part("full"), shoe.commitment);
    },
  };
}

/** Escape, or a press anywhere else, folds the note away again. @param {HTMLDetailsElement} place */
function wireClosing(place) {
  place.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !place.open) return;
    place.open = false;
    find(place, "summary").focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!(target instanceof Node) || !place.contains(target)) place.open = false;
  });
}
