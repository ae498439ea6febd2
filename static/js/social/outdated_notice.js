/** The notice that the table was changed and the page has to be loaded again. */
import { byId, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

/** @import { Table } from "../model/table_model.js" */

const WORDS = gettext("The settings of this table have changed.");

/** @param {{edition: string, onOld: () => void}} options `edition` of the table that the page was made of */
export function createOutdatedNotice({ edition, onOld }) {
  let isOld = false;

  byId("changed-load").addEventListener("click", () => location.reload());

  return {
    /**
     * Also after a reconnect, because the event may have been missed.
     * @param {Table} table
     */
    draw(table) {
      if (isOld || table.edition === undefined || table.edition === edition) return;
      isOld = true;
      byId("changed").hidden = false;
      // The live region exists already; otherwise it is not announced.
      requestAnimationFrame(() => setText(byId("changed-words"), WORDS));
      onOld();
    },
  };
}
