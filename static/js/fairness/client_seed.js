/**
 * My part in the shuffle: random words. The browser commits to them before any words are shown, and
 * sends them with the bet on the first round of a shoe. It stores what the table shows meanwhile.
 */
import { byId, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { findSeat, isShoeUsed } from "../model/table_model.js";
import { createOwnWords } from "./own_words.js";
import { createSeenShoes } from "./seen_shoes.js";

/**
 * @import { Seat, Shoe, Table } from "../model/table_model.js"
 * @import { Own, Commitments } from "./seen_shoes.js"
 * @typedef {Omit<Wire.Bet, "id">} Bet
 * @typedef {Omit<Wire.Commit, "id">} Commit
 */

const WORDS = {
  elsewhere: gettext(
    "Another of your browsers has already added random words to this shuffle. Bet in that browser, or wait for the next round.",
  ),
  none: gettext(
    "Your browser's words are not in this shuffle: other players had shown theirs before your browser committed.",
  ),
  used: gettext("This shoe is already shuffled. Your browser's words count in the next shuffle."),
  known: gettext(
    "Your browser has committed to its own random words. It reveals them with your bet, and they are mixed into the shuffle.",
  ),
  shown: gettext(
    "Your browser has revealed its random words. They will be mixed into the shuffle.",
  ),
  shared: gettext(
    "All players of the match get the same shoe, so nobody's words are mixed into its shuffle.",
  ),
  lost: gettext(
    "This browser blocks site storage. It can check a shoe only while this page is open.",
  ),
};

const DEALS = ["card_dealt", "dealer_card_dealt"];

/** Whether the shoe is that of several tables, as in a duplicate match. @param {Table} table */
function isShared({ match }) {
  return match?.kind === "duplicate";
}

/** @param {{id: number, account: number|null, snapshot: {epoch: string}}} config of the page */
export function createClientSeed({ id: table, account, snapshot }) {
  const ownWords = createOwnWords(account, table);
  const records = createSeenShoes(account);
  let { epoch } = snapshot;
  /**
   * To the words for the shoe after this one, by shoe and seat: once for each.
   * @type {Map<string, string>}
   */
  const next = new Map();
  /** To those for this shoe, in the same way. @type {Map<string, string>} */
  const anew = new Map();

  /**
   * @param {Map<string, string>} commitments @param {Shoe|null} shoe @param {number} seat
   * @param {string|null} [used] not this one: its words are shown now
   */
  function newWords(commitments, shoe, seat, used) {
    const key = `${shoe?.id}/${seat}`;
    const previous = commitments.get(key);
    if (previous !== undefined && previous !== used) return previous;
    const commitment = ownWords.draw(seat);
    commitments.set(key, commitment);
    return commitment;
  }

  /** @param {Seat[]} seats @param {number} own */
  function listCommitments(seats, own) {
    /** @type {Commitments} */
    const commitments = {};
    for (const { seat, commitment } of seats)
      if (commitment && seat !== own) commitments[seat] = commitment;
    return commitments;
  }

  /**
   * Record the words before they are sent, with the commitments of the others.
   * @param {Shoe} shoe @param {Pick<Own, "seat"|"words"|"commitment">} own @param {Seat[]} seats
   */
  function noteSent(shoe, own, seats) {
    if (records.find(shoe.id, epoch)?.own?.words === own.words) return;
    const counts = seats[own.seat - 1].commitment === own.commitment;
    const before = listCommitments(seats, own.seat);
    // biome-ignore lint/suspicious/noThenProperty: browsers have stored records with this name, and nothing awaits one.
    records.note(shoe.id, epoch, { own: { ...own, counts, before, then: null, lies: false } });
  }

  /**
   * Record that my bet was placed or returned.
   * @param {number} shoe @param {Table} was the table before that @param {number} seat @param {boolean} lies
   */
  function noteBet(shoe, was, seat, lies) {
    const own = records.find(shoe, epoch)?.own;
    if (!own || own.seat !== seat) return;
    const then = own.then ?? (lies ? listCommitments(was.seats, seat) : null);
    const counts = own.counts || was.seats[seat - 1].commitment === own.commitment;
    records.note(shoe, epoch, { own: { ...own, counts, lies, then } });
  }

  return {
    /** The commitment to send with `sit`. @param {number} seat */
    commitment: (seat) => ownWords.draw(seat),
    /**
     * A page without the words of its seat's commitment commits again, once.
     * @param {Table} now @param {string|null} you @returns {Commit[]}
     */
    atLoad(now, you) {
      const mine = findSeat(now, you);
      return mine && !isShared(now) && !ownWords.of(mine.commitment)
        ? [{ t: "commit", commitment: newWords(anew, now.shoe, mine.seat) }]
        : [];
    },
    /**
     * The bet with its words, and with a commitment before it if there is none that can be met.
     * @param {Bet} bet @param {Table} table @param {Seat|undefined} mine @returns {(Commit|Bet)[]}
     */
    bet(bet, table, mine) {
      const { shoe, seats } = table;
      if (isShared(table)) return [{ ...bet, commitment: undefined }];
      if (!shoe || !mine || isShoeUsed(shoe)) return [{ ...bet, commitment: undefined }];
      const { seat } = mine;
      // Also where a commitment is on its way: the bet must not overtake it without words.
      const isNew = !ownWords.of(mine.commitment) && mine.stake === null;
      const newCommitment = isNew ? newWords(anew, shoe, seat) : null;
      const commitment = newCommitment ?? mine.commitment;
      const words = ownWords.of(commitment);
      if (words && commitment) noteSent(shoe, { seat, words, commitment }, seats);
      const fullBet = {
        ...bet,
        words: words ?? "",
        commitment: newWords(next, shoe, seat, commitment),
      };
      return newCommitment ? [{ t: "commit", commitment: newCommitment }, fullBet] : [fullBet];
    },
    /** The table as it is. @param {Table} now @param {string|null} you @param {string} [history] its epoch */
    look(now, you, history = epoch) {
      epoch = history;
      if (!now.shoe) return;
      records.see(now.shoe, epoch);
      const mine = findSeat(now, you);
      if (mine && !isShoeUsed(now.shoe)) noteBet(now.shoe.id, now, mine.seat, mine.stake !== null);
    },
    /**
     * @param {Wire.Event[]} events @param {Table} was the table before @param {Table} now after them
     * @param {string|null} you
     */
    hear(events, was, now, you) {
      const seat = (findSeat(now, you) ?? findSeat(was, you))?.seat;
      for (const event of events) {
        if (event.type === "shoe_sealed")
          records.see({ id: event.shoe, commitment: event.commitment }, epoch);
        if (event.type === "bet_returned" && event.seat === seat && was.shoe)
          noteBet(was.shoe.id, was, seat, false);
        if (event.type === "bet_placed" && event.seat === seat && was.shoe)
          noteBet(was.shoe.id, was, seat, true);
        if (event.type === "shoe_shuffled")
          records.note(event.shoe, epoch, { told: { words: event.words, absent: event.absent } });
      }
      const isFirst =
        !isShoeUsed(was.shoe)
        && was.phase === "betting"
        && events.some(({ type }) => DEALS.includes(type));
      if (was.shoe && isFirst && !events.some(({ type }) => type === "shoe_shuffled"))
        records.note(was.shoe.id, epoch, { isUntold: true });
      if (now.shoe) records.see(now.shoe, epoch);
    },
    /**
     * Shows my words in the note about the shoe.
     * @param {Table} table @param {Seat|undefined} mine
     */
    draw(table, mine) {
      const { shoe } = table;
      const isKnown = Boolean(mine && ownWords.of(mine.commitment));
      const isIn = mine?.stake !== null && !isShoeUsed(shoe);
      const own = !mine
        ? ""
        : isShared(table)
          ? WORDS.shared
          : isShoeUsed(shoe)
            ? WORDS.used
            : isKnown
              ? WORDS[isIn ? "shown" : "known"]
              : mine.commitment
                ? WORDS.elsewhere
                : WORDS.none;
      setText(byId("shoe-own"), records.isLost ? `${own} ${WORDS.lost}` : own);
    },
    /** A refusal in words for the player. @param {{code: string, message: string}} refusal */
    refusal: ({ code, message }) => (code === "bad_words" ? WORDS.elsewhere : message),
  };
}
