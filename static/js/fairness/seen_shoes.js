/**
 * This browser's record of each shoe, by account. The page of a round compares the
 * proof with it. The key of a shoe is its number and the epoch of the site, which changes with a
 * restored backup.
 */
import { createLocalRecords } from "../lib/local_records.js";

/**
 * @typedef {Record<number, string>} Commitments by the number of the seat
 * @typedef {{seat: number, words: string, commitment: string, before: Commitments, then: Commitments|null, counts: boolean, lies: boolean}} Own
 *   `before`: the commitments of the others when the words were sent, `then`: when the bet was taken;
 *   `counts`: it was shown as the commitment of the seat; `lies`: the bet was taken and not returned
 * @typedef {{seal: string, otherSeal?: string, isLate?: boolean, own?: Own|null, told?: Pick<Wire.ShoeShuffled, "words"|"absent">, isUntold?: boolean}} SeenShoe
 *   `otherSeal`: another was shown for the same shoe; `isLate`: cards had been dealt when it was seen first;
 *   `isUntold`: its first card was seen to fall, and no words were told
 */

/** @param {number|null} account null: no login */
export function createSeenShoes(account) {
  /** @type {ReturnType<typeof createLocalRecords<SeenShoe>>} */
  const records = createLocalRecords("shoes");
  const owner = account ?? "nobody";
  /** @param {number|string} shoe @param {string} epoch */
  const nameOf = (shoe, epoch) => `${owner}/${shoe}/${epoch}`;

  return {
    get isLost() {
      return records.isLost;
    },
    /** @param {number} shoe @param {string} epoch @returns {SeenShoe|null} */
    find: (shoe, epoch) => records.get(nameOf(shoe, epoch)),
    /**
     * The records of the shoe of this number in each epoch.
     * @param {number|string} shoe @returns {{epoch: string, seen: SeenShoe}[]}
     */
    all: (shoe) =>
      records
        .all(`${owner}/${shoe}/`)
        .map(({ name, value }) => ({ epoch: name.split("/")[2], seen: value })),
    /** The number of the shoe as which a seal was shown. @param {string} seal @returns {string|undefined} */
    numberOf: (seal) =>
      records
        .all(`${owner}/`)
        .find(({ value }) => value.seal === seal || value.otherSeal === seal)
        ?.name.split("/")[1],
    /**
     * Note a seal that is shown.
     * @param {{id: number, commitment: string, size?: number, left?: number}} shoe @param {string} epoch
     */
    see({ id, commitment, size = 0, left = size }, epoch) {
      const record = records.get(nameOf(id, epoch));
      if (!record)
        records.set(nameOf(id, epoch), { seal: commitment, ...(left < size && { isLate: true }) });
      else if (record.seal !== commitment && !record.otherSeal)
        records.set(nameOf(id, epoch), { ...record, otherSeal: commitment });
    },
    /**
     * Note something else about a shoe of which the seal was seen.
     * @param {number} shoe @param {string} epoch @param {Partial<SeenShoe>} what
     */
    note(shoe, epoch, what) {
      const record = records.get(nameOf(shoe, epoch));
      if (record) records.set(nameOf(shoe, epoch), { ...record, ...what });
    },
  };
}
