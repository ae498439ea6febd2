/**
 * My part in the shuffle: random words of my own. They are committed to before anybody shows any,
 * and go out with the bet on the first round of a shoe. What the table shows meanwhile is kept.
 */
import { byId, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { isShoeUsed, seatOf } from "../model/table_model.js";
import { createOwnWords } from "./own_words.js";
import { createSeenShoes } from "./seen_shoes.js";

const WORDS = {
  elsewhere: gettext(
    "Another browser of yours has added words to this shuffle. Bet there, or from the next round on.",
  ),
  none: gettext(
    "Nothing of yours is in this shuffle: others had shown their words before your browser committed to any.",
  ),
  used: gettext(
    "The cards of this shoe are in their order. Your browser's words count for the next shuffle.",
  ),
  known: gettext(
    "Your browser has committed to random words of its own. It shows them with your bet, and they are mixed in.",
  ),
  shown: gettext("The random words of your browser are shown, and will be mixed in."),
  lost: gettext(
    "This browser keeps nothing for later, so it can compare a shoe with its proof only while this page is open.",
  ),
};

const DEALS = ["card_dealt", "dealer_card_dealt"];

/** @param {{id: number, account: number|null, snapshot: {epoch: string}}} config of the page */
export function createClientSeed({ id: table, account, snapshot }) {
  const ownWords = createOwnWords(account, table);
  const seen = createSeenShoes(account);
  let { epoch } = snapshot;
  /** To the words for the shoe after this one, and to those for this shoe, by shoe and seat: once for each. */
  const next = new Map();
  const anew = new Map();

  /** @param {string} [used] not this one: its words are shown now */
  const drawn = (kept, shoe, seat, used) => {
    const key = `${shoe?.id}/${seat}`;
    if (!kept.has(key) || kept.get(key) === used) kept.set(key, ownWords.draw(seat));
    return kept.get(key);
  };
  const commitmentsOf = (seats, own) =>
    Object.fromEntries(
      seats
        .filter((seat) => seat.commitment && seat.seat !== own)
        .map((seat) => [seat.seat, seat.commitment]),
    );

  /** What is sent is on record before it is, with what the others had committed to. */
  function noteSent(shoe, own, seats) {
    if (seen.find(shoe.id, epoch)?.own?.words === own.words) return;
    const counts = seats[own.seat - 1].commitment === own.commitment;
    const before = commitmentsOf(seats, own.seat);
    // biome-ignore lint/suspicious/noThenProperty: browsers have stored records with this name, and nothing awaits one.
    seen.note(shoe.id, epoch, { own: { ...own, counts, before, then: null, lies: false } });
  }

  /** Where my bet lies or was returned. @param {{seats: object[]}} was the table before that */
  function noteBet(shoe, was, seat, lies) {
    const own = seen.find(shoe, epoch)?.own;
    if (!own || own.seat !== seat) return;
    const then = own.then ?? (lies ? commitmentsOf(was.seats, seat) : null);
    const counts = own.counts || was.seats[seat - 1].commitment === own.commitment;
    seen.note(shoe, epoch, { own: { ...own, counts, lies, then } });
  }

  return {
    /** What to send with `sit`. */
    commitment: (seat) => ownWords.draw(seat),
    /** A page that cannot show what its seat has committed to commits anew, once. @returns {object[]} commands */
    atLoad(wire, you) {
      const mine = seatOf(wire, you);
      return mine && !ownWords.of(mine.commitment)
        ? [{ t: "commit", commitment: drawn(anew, wire.shoe, mine.seat) }]
        : [];
    },
    /** The bet with its words, and with a commitment before it if there is none that can be met. @returns {object[]} commands */
    bet(bet, { shoe, seats }, mine) {
      if (!shoe || isShoeUsed(shoe)) return [{ ...bet, commitment: undefined }];
      const { seat } = mine;
      // Also where a commitment is on its way: the bet must not overtake it without words.
      const isNew = !ownWords.of(mine.commitment) && mine.stake === null;
      const commitment = isNew ? drawn(anew, shoe, seat) : mine.commitment;
      const words = ownWords.of(commitment);
      if (words) noteSent(shoe, { seat, words, commitment }, seats);
      const shown = { ...bet, words: words ?? "", commitment: drawn(next, shoe, seat, commitment) };
      return isNew ? [{ t: "commit", commitment }, shown] : [shown];
    },
    /** The table as it is. @param {object} now */
    look(now, you, history = epoch) {
      epoch = history;
      if (!now.shoe) return;
      seen.see(now.shoe, epoch);
      const mine = seatOf(now, you);
      if (mine && !isShoeUsed(now.shoe)) noteBet(now.shoe.id, now, mine.seat, mine.stake !== null);
    },
    /** @param {object[]} events @param {object} was the table before @param {object} now after them @param {string|null} you */
    hear(events, was, now, you) {
      const seat = (seatOf(now, you) ?? seatOf(was, you))?.seat;
      for (const event of events) {
        if (event.type === "shoe_sealed")
          seen.see({ id: event.shoe, commitment: event.commitment }, epoch);
        if (event.type === "bet_returned" && event.seat === seat && was.shoe)
          noteBet(was.shoe.id, was, seat, false);
        if (event.type === "bet_placed" && event.seat === seat && was.shoe)
          noteBet(was.shoe.id, was, seat, true);
        if (event.type === "shoe_shuffled")
          seen.note(event.shoe, epoch, { told: { words: event.words, absent: event.absent } });
      }
      const isFirst =
        was.shoe
        && !isShoeUsed(was.shoe)
        && was.phase === "betting"
        && events.some(({ type }) => DEALS.includes(type));
      if (isFirst && !events.some(({ type }) => type === "shoe_shuffled"))
        seen.note(was.shoe.id, epoch, { isUntold: true });
      if (now.shoe) seen.see(now.shoe, epoch);
    },
    /** Says in the note about the shoe what of mine is in it. */
    draw({ shoe }, mine) {
      const isKnown = Boolean(mine && ownWords.of(mine.commitment));
      const isIn = mine?.stake !== null && !isShoeUsed(shoe);
      const own = !mine
        ? ""
        : isShoeUsed(shoe)
          ? WORDS.used
          : isKnown
            ? WORDS[isIn ? "shown" : "known"]
            : mine.commitment
              ? WORDS.elsewhere
              : WORDS.none;
      setText(byId("shoe-own"), seen.isLost ? `${own} ${WORDS.lost}` : own);
    },
    /** A refusal in words for the player. @param {{code: string, message: string}} refusal */
    refusal: ({ code, message }) => (code === "bad_words" ? WORDS.elsewhere : message),
  };
}
