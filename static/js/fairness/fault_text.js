/** Sentences for the faults of a proof, and for why a shoe was retired. */
import { fill, gettext } from "../lib/i18n.js";

/** By the reasons of docs/fairness.md. @type {Record<string, string>} */
const SENTENCES = {
  label: gettext("The label is not “shoe:” followed by the shoe's number."),
  secret: gettext("The secret is not 32 bytes in hexadecimal (64 digits, 0 to f)."),
  seal: gettext("The secret does not match the seal!"),
  no_rounds: gettext("The proof has no rounds."),
  round_order: gettext("Round %(round)s is out of order."),
  first: gettext(
    "Round %(round)s began at card %(first)s of the shoe, but %(dealt)s cards had been dealt.",
  ),
  rules: gettext("Round %(round)s names an unknown rule set."),
  decks: gettext("Round %(round)s was dealt from %(decks)s decks, but its rules say %(by_rules)s."),
  seats: gettext("The seats of round %(round)s are invalid or out of order."),
  too_few_cards: gettext(
    "Round %(round)s has %(cards)s cards, but its seats and the dealer need at least %(least)s.",
  ),
  dealt_to: gettext("The cards of round %(round)s were not dealt in the order the rules require."),
  broken_off: gettext("Round %(round)s was cancelled, but more rounds were dealt after it."),
  face_down: gettext("Round %(round)s has a card that was never shown."),
  cards: gettext("Round %(round)s was dealt %(dealt)s, but the shoe says %(computed)s."),
  words_seats: gettext(
    "The words do not belong to the seats that bet on the first round, in seat order.",
  ),
  words_text: gettext("The words of seat %(seat)s are too long or contain special characters."),
  words_commitment: gettext("The words of seat %(seat)s do not match its commitment."),
  absent: gettext("The list of seats that did not bet is wrong."),
  shoe_over: gettext("Round %(round)s was dealt from a shoe that the rules had already ended."),
  retired: gettext("The shoe was not ended when the rules require."),
  other_seal: gettext("This browser was shown the seal %(seen)s, but the proof has %(seal)s!"),
  other_label: gettext(
    "This browser was shown this seal for shoe %(seen)s, but the proof is for “%(label)s”!",
  ),
  own_words: gettext("Your browser's words were not mixed in!"),
};

/** @param {import("./shuffle_check.js").Fault} fault */
export function formatFault({ reason, ...values }) {
  return SENTENCES[reason] ? fill(SENTENCES[reason], values) : reason;
}
