/** The words that this browser chose for the shuffle, stored by their commitment. */
import { createLocalRecords } from "../lib/local_records.js";
import { sha256Hex, toHex } from "./sha256.js";
import { formatLine } from "./shuffle.js";

const BYTES = 16;

/** @param {number|null} account @param {number} table */
export function createOwnWords(account, table) {
  /** @type {ReturnType<typeof createLocalRecords<{words: string}>>} */
  const records = createLocalRecords("words");
  /** @param {string} commitment */
  const nameOf = (commitment) => `${account}/${table}/${commitment}`;

  return {
    /** New ones for a seat. @param {number} seat @returns {string} the commitment to them */
    draw(seat) {
      const words = toHex(crypto.getRandomValues(new Uint8Array(BYTES)));
      const commitment = sha256Hex(formatLine(seat, words));
      records.set(nameOf(commitment), { words });
      return commitment;
    },
    /**
     * The words for a commitment; null if another browser has made it.
     * @param {string|null|undefined} commitment @returns {string|null}
     */
    of: (commitment) => (commitment && records.get(nameOf(commitment))?.words) || null,
  };
}
