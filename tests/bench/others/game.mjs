// A small blackjack for three: no money, no doubling, no splits. What servers of others are given
// to do, so that theirs is the same work. A table is plain data; these functions change it.

export const SEATS = 3;
const DECKS = 6;
const RESHUFFLE_AT = 52;
const CARDS = [...'23456789TJQKA'].flatMap((rank) => [...'shdc'].map((suit) => rank + suit));

/** A table at which the first round is dealt. `padding` makes its frames as long as is wanted. */
export function newTable(shuffle, padding = '') {
  const seats = Array.from({ length: SEATS }, (_, seat) => ({ seat, cards: [], outcome: null }));
  const secret = { shoe: [], hole: null };
  const table = { seats, dealer: [], asked: 0, round: 0, padding, secret };
  deal(table, shuffle);
  return table;
}

/** What cards are worth: an ace counts as eleven where that is no bust. */
export function total(cards) {
  const points = cards.reduce((sum, [rank]) => sum + (Number(rank) || (rank === 'A' ? 1 : 10)), 0);
  return cards.some(([rank]) => rank === 'A') && points <= 11 ? points + 10 : points;
}

/** A card for who is asked. Whether that seat has had its turn. */
export function hit(table, shuffle) {
  const { cards } = table.seats[table.asked];
  cards.push(table.secret.shoe.pop());
  return total(cards) >= 21 && stand(table, shuffle);
}

/** On to the next seat; after the last the dealer plays and the next round is dealt. */
export function stand(table, shuffle) {
  table.asked += 1;
  if (table.asked === SEATS) {
    settle(table);
    deal(table, shuffle);
  }
  return true;
}

function deal(table, shuffle) {
  const { secret } = table;
  if (secret.shoe.length < RESHUFFLE_AT) {
    secret.shoe = shuffle(Array.from({ length: DECKS }, () => CARDS).flat());
  }
  for (const seat of table.seats) {
    seat.cards = [secret.shoe.pop(), secret.shoe.pop()];
  }
  table.dealer = [secret.shoe.pop()];
  secret.hole = secret.shoe.pop();
  table.round += 1;
  table.asked = 0;
}

function settle(table) {
  const { dealer, secret } = table;
  dealer.push(secret.hole);
  while (total(dealer) < 17) {
    dealer.push(secret.shoe.pop());
  }
  const house = total(dealer);
  for (const seat of table.seats) {
    const own = total(seat.cards);
    const wins = own <= 21 && (house > 21 || own > house);
    seat.outcome = wins ? 'win' : own <= 21 && own === house ? 'push' : 'lose';
  }
}
