/** The stake in the betting form: its chips in their order, and the limits. */
import { gettext, language } from "../lib/i18n.js";
import { formatMoney } from "../text/format.js";

const CHIPS = [100, 500, 1_000, 2_500, 5_000, 10_000, 50_000];
const MOST_CHIPS = 5;
const WORDS = {
  odd: gettext("Type a whole number, such as 25."),
  /** @param {number} funds @param {number} minimum */
  poor: (funds, minimum) =>
    gettext("You have %(funds)s; the minimum bet here is %(least)s.", {
      funds: formatMoney(funds),
      least: formatMoney(minimum),
    }),
  /** @param {number} minimum */
  least: (minimum) => gettext("The minimum bet is %(least)s.", { least: formatMoney(minimum) }),
  /** @param {number} maximum */
  most: (maximum) => gettext("The maximum bet is %(most)s.", { most: formatMoney(maximum) }),
  /** @param {number} funds @param {number} sum */
  funds: (funds, sum) =>
    gettext("You have %(funds)s. You can't bet %(sum)s.", {
      funds: formatMoney(funds),
      sum: formatMoney(sum),
    }),
  /** @param {number} unit */
  unit: (unit) => gettext("Bets are multiples of %(unit)s.", { unit: formatMoney(unit) }),
};
const BY_COMMA = /^(\d{1,9}|[1-9]\d{0,2}(,\d{3})+)$/;
const BY_POINT = /^(\d{1,9}|[1-9]\d{0,2}((\.\d{3})+|([ \u00a0\u202f]\d{3})+))$/;
/**
 * Whole numbers as people type them, by language; in the others with commas.
 * @type {Record<string, RegExp>}
 */
const WHOLE = { de: BY_POINT, es: BY_POINT, fr: BY_POINT };

/**
 * The chips that can be of use under these limits. A small minimum has a chip of its own.
 * @param {Wire.Stakes} limits
 */
export function listChips({ minimum, maximum, unit }) {
  const all = [...new Set([...CHIPS, Math.min(minimum, 1_000)])].sort((one, two) => one - two);
  const useful = all.filter(
    (chip) =>
      chip >= Math.min(minimum, 1_000)
      && chip % unit === 0
      && (maximum === null || chip <= maximum),
  );
  return useful.slice(0, MOST_CHIPS);
}

/** @param {Wire.Stakes} limits in hundredths, like all amounts here */
export function createStake({ minimum, maximum, unit }) {
  /** @type {number[]} */
  let puts = [];
  let funds = 0;
  let isOdd = false;

  const sum = () => puts.reduce((total, put) => total + put, 0);
  const ceiling = () => Math.min(funds, maximum ?? Infinity);
  /** @param {number} amount */
  const isLegal = (amount) => amount >= minimum && amount <= ceiling() && amount % unit === 0;

  /** A button or chip: the stake replaces typed text. @param {() => void} how */
  function change(how) {
    isOdd = false;
    how();
  }

  return {
    sum,
    isLegal,
    /** Sets the funds. @param {number} amount */
    haveFunds(amount) {
      funds = amount;
    },
    /** @param {number} amount @param {number} [to] the amount that it is added to */
    canAdd: (amount, to = sum()) => amount > 0 && to + amount <= ceiling(),
    /** @param {number} amount */
    add: (amount) => change(() => puts.push(amount)),
    undo: () => change(() => puts.pop()),
    clear: () =>
      change(() => {
        puts = [];
      }),
    /** @param {number} amount */
    put: (amount) =>
      change(() => {
        puts = amount ? [amount] : [];
      }),
    /** @param {string} text as typed */
    type(text) {
      isOdd = text !== "" && !(WHOLE[language()] ?? BY_COMMA).test(text);
      puts = text && !isOdd ? [Number(text.replace(/\D/g, "")) * 100] : [];
    },
    get isOdd() {
      return isOdd;
    },
    get isEmpty() {
      return !puts.length && !isOdd;
    },
    /**
     * The most that may be staked now, from the dealer's `rack` where that matters; 0 if that is too little.
     * @param {number|null} [rack]
     */
    most(rack) {
      const most = Math.min(ceiling(), rack ?? Infinity);
      const whole = most - (most % unit);
      return whole >= minimum ? whole : 0;
    },
    /** Why this stake cannot be bet; "" when it can. */
    objection() {
      if (isOdd) return WORDS.odd;
      if (funds < minimum) return WORDS.poor(funds, minimum);
      if (sum() < minimum) return WORDS.least(minimum);
      if (maximum !== null && sum() > maximum) return WORDS.most(maximum);
      if (sum() > funds) return WORDS.funds(funds, sum());
      return sum() % unit ? WORDS.unit(unit) : "";
    },
  };
}
