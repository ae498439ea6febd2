/** My part in the shuffle: random words that go out with the first bet on a fresh shoe. */

const BYTES = 16;

/** What is sent is kept, as soon as it lies on the table, for the page on which a shoe is checked. */
export function createMix() {
  let sent = null;

  return {
    /** @param {{id: number, size: number, left: number}|null} shoe only a fresh one takes words */
    wordsFor(shoe) {
      if (!shoe || shoe.left < shoe.size) return "";
      if (sent?.shoe !== shoe.id) sent = { shoe: shoe.id, words: randomWords() };
      return sent.words;
    },
    /** @param {object[]} events @param {number|undefined} seat mine */
    hear(events, seat) {
      for (const { type } of events.filter((event) => sent && event.seat === seat)) {
        if (type === "bet_placed") keep(sent);
        if (type === "bet_returned") forget(sent);
      }
    },
  };
}

function randomWords() {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function keep({ shoe, words }) {
  try {
    sessionStorage.setItem(`words/${shoe}`, words);
  } catch {
    // A browser that keeps nothing has mixed its words in all the same.
  }
}

function forget({ shoe }) {
  try {
    sessionStorage.removeItem(`words/${shoe}`);
  } catch {
    // Nothing was kept.
  }
}
