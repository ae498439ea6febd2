/** The words that the table is made of: amounts, totals, lists, and who deals. */
import { asksInsurance, isUndecided } from "./model.js";

const ORDINALS = ["first", "second", "third", "fourth"];

/** Hundredths as people write them: 1000 → "10", 2250 → "22.50", 1234500 → "12,345". */
export function money(hundredths) {
  const sign = hundredths < 0 ? "−" : "";
  const whole = Math.abs(hundredths);
  const rest = whole % 100;
  return `${sign}${Math.floor(whole / 100).toLocaleString("en")}${rest ? `.${String(rest).padStart(2, "0")}` : ""}`;
}

/** What lies on a hand: the stake; where the dealer matches it, the pot of both. */
export function stakeWords(stake, rules) {
  return rules.matched ? `Pot ${money(2 * stake)}` : money(stake);
}

/** Who deals, in the words of these rules: "the dealer" or "the house". */
export function theDealer(rules) {
  return `the ${rules.dealer}`;
}

/** "7 or 17" while an ace can still count as either, else the total. */
export function totalWords({ total, soft }, isOpen) {
  return soft && isOpen ? `${total - 10} or ${total}` : String(total);
}

export function handTotal(table, seat, hand) {
  const held = table.seats[seat - 1].hands[hand - 1];
  const isAsked = table.asked?.seat === seat && table.asked.hand === hand && !asksInsurance(table);
  return totalWords(held, isUndecided(table, seat, hand) && !held.outcome && (held.total < 21 || isAsked));
}

/** The dealer's visible total; "1 or 11" under an ace while more cards may follow. */
export function dealerTotal(table, rules) {
  const { total } = table.dealer;
  const mayDraw = total < 17 || (total === 17 && rules.hits_soft_17);
  return totalWords(table.dealer, table.phase === "playing" && mayDraw);
}

export function limits(stakes) {
  if (stakes.maximum === null) return `from ${money(stakes.minimum)}`;
  return `${money(stakes.minimum)} – ${money(stakes.maximum)}`;
}

/** 4 → "four", for counting hands. */
export function counted(number) {
  return ["no", "one", "two", "three", "four"][number] ?? String(number);
}

export function ordinal(number) {
  return ORDINALS[number - 1] ?? `${number}th`;
}

/** "Ann", "Ann and Ben", "Ann, Ben and Cy". @param {string[]} names */
export function listed(names, word = "and") {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
}

/** "1 card", "5 cards". */
export function cardCount(cards) {
  return `${cards} card${cards === 1 ? "" : "s"}`;
}

export function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
