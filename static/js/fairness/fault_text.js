/** Sentences for the faults of a proof, and for why a shoe was retired. */
import { fill, gettext } from "../lib/i18n.js";

/** By the reasons of docs/fairness.md. @type {Record<string, string>} */
const SENTENCES = {
  label: gettext("The label is not “shoe:” and the number of the shoe."),
  secret: gettext("The secret is not 32 bytes, written as 64 digits from 0 to f."),
  seal: gettext("The secret does not fit the seal!"),
  no_rounds: gettext("The proof has no rounds."),
  round_order: gettext("Round %(round)s is not behind the round before it."),
  first: gettext(
    "Round %(round)s began at card %(first)s of the shoe, and %(dealt)s had been dealt.",
  ),
  rules: gettext("Round %(round)s was played by rules that there are not."),
  decks: gettext("Round %(round)s was dealt from %(decks)s decks, but its rules say %(by_rules)s."),
  seats: gettext("The seats of round %(round)s are not those of a table, in order."),
  too_few_cards: gettext(
    "Round %(round)s has %(cards)s cards, but its seats and the dealer get %(least)s at least.",
  ),
  dealt_to: gettext("The cards of round %(round)s did not go round as the rules say."),
  broken_off: gettext("Round %(round)s was broken off, and others were dealt after it."),
  face_down: gettext("Round %(round)s has a card that was never turned over."),
  cards: gettext("Round %(round)s was dealt %(dealt)s, but the shoe says %(computed)s."),
  words_seats: gettext(
    "The words are not those of the seats that bet on the first round, in order.",
  ),
  words_text: gettext("The words of seat %(seat)s are too long, or not plain characters."),
  words_commitment: gettext(
    "The words of seat %(seat)s do not fit what that seat had committed to.",
  ),
  absent: gettext("The seats that did not bet are not told as they should be."),
  shoe_over: gettext("Round %(round)s was dealt from a shoe that was over by the rules."),
  retired: gettext("The shoe was not retired when the rules say."),
  other_seal: gettext(
    "The seal that this browser was shown before is %(seen)s, but that of the proof is %(seal)s!",
  ),
  other_label: gettext(
    "This browser was shown the seal as that of shoe %(seen)s, but the proof is of “%(label)s”!",
  ),
  own_words: gettext("The words of your browser were not mixed in!"),
};

/** @param {import("./shuffle_check.js").Fault} fault */
export function formatFault({ reason, ...values }) {
  return SENTENCES[reason] ? fill(SENTENCES[reason], values) : reason;
}
