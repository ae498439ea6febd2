/** Compares the proof of a shoe with this browser's record of it. */
import { fill, gettext, ngettext } from "../lib/i18n.js";

const WORDS = {
  unseen: gettext(
    "This browser did not see the seal before the bets, so it cannot tell whether it was this one. The one on record is %(seal)s.",
  ),
  late: gettext("This browser saw the seal when cards had been dealt already, not before."),
  restored: gettext(
    "This browser was shown another seal for this number, %(seal)s. The site says that it was restored from a backup since then: if so, the table told you at that time.",
  ),
  sameSeal: gettext("The seal is the one that this browser was shown."),
  twoSeals: gettext(
    "For this shoe your browser was shown two seals: first %(seal)s, then %(other)s!",
  ),
  ownIn: gettext("The words of your browser were mixed in."),
  ownOut: gettext("The words of your browser were not mixed in!"),
  ownReturned: gettext(
    "No bet of yours lay there when the cards fell, so your words were not mixed in.",
  ),
  ownLate: gettext(
    "What your browser committed to did not count for this shoe: others had shown their words before. Yours were not mixed in.",
  ),
  ownUnknown: gettext(
    "Your browser sent words and was not connected when the cards fell. They are not in the proof: so it is if your bet had gone back.",
  ),
  none: gettext("Your browser added no words to this shoe."),
  others: gettext("What the others had committed to was fixed before your words were sent."),
  sameMoment: gettext(
    "Seat %(seat)s committed in the same moment in which your words were sent: which came first cannot be told.",
  ),
  changed: gettext(
    "Seat %(seat)s had committed to other words, or to none, when yours were shown!",
  ),
  told: gettext("The words are those that were told when the cards fell."),
  otherwise: gettext("When the cards fell, other words were told than those of the proof!"),
  untold: gettext("The cards fell, and no words were told!"),
  notTold: gettext(
    "This browser was not there when the cards fell, so it did not hear which words were mixed in.",
  ),
};

/**
 * @typedef {{text: string, kind: "foul"|"good"|"note"}} Finding
 * @import { Values } from "../lib/i18n.js"
 * @import { Proof, Words } from "./proof.js"
 * @import { SeenShoe } from "./seen_shoes.js"
 */
/** @param {string} text @param {Values} [values] @returns {Finding} */
const fault = (text, values = {}) => ({ kind: "foul", text: fill(text, values) });
/** @param {string} text @param {Values} [values] @returns {Finding} */
const match = (text, values = {}) => ({ kind: "good", text: fill(text, values) });
/** @param {string} text @param {Values} [values] @returns {Finding} */
const note = (text, values = {}) => ({ kind: "note", text: fill(text, values) });

/**
 * @param {Proof} proof @param {{epoch: string, seen: SeenShoe}[]} records @param {string} epoch that of the site now
 * @returns {{seen: SeenShoe|null, findings: Finding[]}} `seen`: the record of this shoe
 */
function getRecord(proof, records, epoch) {
  const now = records.find((record) => record.epoch === epoch)?.seen;
  if (now) return { seen: now, findings: [] };
  const same = records.find(({ seen }) => seen.seal === proof.commitment)?.seen;
  const findings = [note(WORDS.unseen, { seal: proof.commitment })];
  const last = records.at(-1);
  return same
    ? { seen: same, findings: [] }
    : {
        seen: null,
        findings: last ? [note(WORDS.restored, { seal: last.seen.seal }), ...findings] : findings,
      };
}

/** @param {Proof} proof @param {SeenShoe} seen */
function* compareSeal(proof, { seal, otherSeal, isLate }) {
  if (otherSeal) yield fault(WORDS.twoSeals, { seal, other: otherSeal });
  if (seal === proof.commitment) yield match(WORDS.sameSeal);
  if (isLate) yield note(WORDS.late);
}

/** @param {Proof} proof @param {SeenShoe} seen */
function* compareOwnWords(proof, { own, told }) {
  if (!own) {
    yield note(WORDS.none);
    return;
  }
  const isIn = proof.words.some(
    ({ seat, commitment, words }) =>
      seat === own.seat && words === own.words && commitment === own.commitment,
  );
  if (!isIn) {
    if (!told) yield note(WORDS.ownUnknown);
    else if (!own.lies) yield note(WORDS.ownReturned);
    else yield own.counts ? fault(WORDS.ownOut) : note(WORDS.ownLate);
    return;
  }
  yield match(WORDS.ownIn);
  const others = proof.words.filter(
    ({ seat, commitment }) => seat !== own.seat && commitment !== null,
  );
  /** @param {Words} entry */
  const isFixed = ({ seat, commitment }) => own.before[seat] === commitment;
  /** @param {Words} entry */
  const isSameMoment = ({ seat, commitment }) => !own.then || own.then[seat] === commitment;
  for (const other of others.filter((entry) => !isFixed(entry))) {
    yield isSameMoment(other) ? note(WORDS.sameMoment, other) : fault(WORDS.changed, other);
  }
  if (others.length && others.every(isFixed)) yield match(WORDS.others);
}

/** @param {Words[]} words @param {Omit<Words, "words">[]} absent */
const formatCards = (words, absent) =>
  JSON.stringify([
    words.map(({ seat, commitment, words: text }) => [seat, commitment, text]),
    absent.map(({ seat, commitment }) => [seat, commitment]),
  ]);

/** @param {Proof} proof @param {SeenShoe} seen */
function* comparePublished(proof, { told, isUntold }) {
  if (isUntold) yield fault(WORDS.untold);
  else if (!told) yield note(WORDS.notTold);
  else
    yield formatCards(told.words, told.absent) === formatCards(proof.words, proof.absent)
      ? match(WORDS.told)
      : fault(WORDS.otherwise);
}

/**
 * @param {Proof} proof @param {{epoch: string, seen: SeenShoe}[]} records @param {string} epoch
 * @returns {{seal: string|undefined, findings: Finding[]}}
 */
export function compareProof(proof, records, epoch) {
  const { seen, findings } = getRecord(proof, records, epoch);
  if (!seen) return { seal: undefined, findings };
  return {
    seal: seen.seal,
    findings: [
      ...compareSeal(proof, seen),
      ...compareOwnWords(proof, seen),
      ...comparePublished(proof, seen),
    ],
  };
}

/** Limits of a valid proof. @param {Proof} proof @returns {Finding[]} */
export function findGaps({ isOfFirstMethod, words, rounds, absent }) {
  const unfinished = rounds.filter(({ isBrokenOff }) => isBrokenOff);
  const found = unfinished.map(({ round }) =>
    note(gettext("Round %(round)s was not played to its end.", { round })),
  );
  found.push(
    ...absent.map(({ seat }) =>
      note(gettext("Seat %(seat)s had committed to words and did not bet.", { seat })),
    ),
  );
  if (isOfFirstMethod)
    found.unshift(note(gettext("This shoe is from before players committed to their words.")));
  else if (words.every(({ commitment }) => commitment === null)) {
    found.unshift(
      note(
        gettext(
          "Nobody added words to this shoe: its order rests on the secret of the site alone.",
        ),
      ),
    );
  }
  return found;
}

/** @param {Proof} proof */
export function listDealtCards({ rounds }) {
  const cards = rounds.reduce((sum, round) => sum + round.cards.length, 0);
  return match(
    ngettext(
      "All %(cards)s cards of the round fell as secret and words say.",
      "All %(cards)s cards of the %(number)s rounds fell as secret and words say.",
      rounds.length,
      { cards, number: rounds.length },
    ),
  );
}
