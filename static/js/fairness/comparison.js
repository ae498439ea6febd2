/** Compares the proof of a shoe with this browser's record of it. */
import { fill, gettext, ngettext } from "../lib/i18n.js";

const WORDS = {
  unseen: gettext(
    "This browser did not see the seal before the bets, so it can't compare it. The seal on record is %(seal)s.",
  ),
  late: gettext("This browser first saw the seal after cards had been dealt."),
  restored: gettext(
    "This browser was shown a different seal for this number: %(seal)s. The site reports that it was restored from a backup since then. If so, the table announced it at the time.",
  ),
  sameSeal: gettext("The seal is the one this browser was shown."),
  twoSeals: gettext(
    "Your browser was shown two seals for this shoe: first %(seal)s, then %(other)s!",
  ),
  ownIn: gettext("Your browser's words were mixed in."),
  ownOut: gettext("Your browser's words were not mixed in!"),
  ownReturned: gettext(
    "You had no bet when the cards were dealt, so your words were not mixed in.",
  ),
  ownLate: gettext(
    "Your browser committed too late for this shoe: other players had already shown their words. Yours were not mixed in.",
  ),
  ownUnknown: gettext(
    "Your browser sent words but was offline when the cards were dealt. They are not in the proof, which is correct if your bet was returned.",
  ),
  none: gettext("Your browser added no words to this shoe."),
  others: gettext("The other players had committed before your words were sent."),
  sameMoment: gettext(
    "Seat %(seat)s committed at the same moment as your words were sent. Which came first is unknown.",
  ),
  changed: gettext(
    "Seat %(seat)s had committed to different words, or none, when yours were shown!",
  ),
  told: gettext("The words are the ones announced at the deal."),
  otherwise: gettext("The words announced at the deal differ from those in the proof!"),
  untold: gettext("The cards were dealt, but no words were announced!"),
  notTold: gettext(
    "This browser was offline at the deal, so it did not see which words were mixed in.",
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
  const findings = unfinished.map(({ round }) =>
    note(gettext("Round %(round)s was not finished.", { round })),
  );
  findings.push(
    ...absent.map(({ seat }) =>
      note(gettext("Seat %(seat)s committed to words but did not bet.", { seat })),
    ),
  );
  if (isOfFirstMethod)
    findings.unshift(note(gettext("This shoe is from before players committed to words.")));
  else if (words.every(({ commitment }) => commitment === null)) {
    findings.unshift(
      note(
        gettext(
          "No player added words to this shoe. Its order depends on the site's secret alone.",
        ),
      ),
    );
  }
  return findings;
}

/** @param {Proof} proof */
export function listDealtCards({ rounds }) {
  const cards = rounds.reduce((sum, round) => sum + round.cards.length, 0);
  return match(
    ngettext(
      "All %(cards)s cards of the round match the secret and the words.",
      "All %(cards)s cards of the %(number)s rounds match the secret and the words.",
      rounds.length,
      { cards, number: rounds.length },
    ),
  );
}
