/** Animations: cards come out of the shoe, and chips move to their owners. None with reduced motion. */
import { el, findAll } from "../lib/dom.js";

/**
 * @typedef {Element|null|undefined} Place
 * @typedef {[Place, Place, number]} Way from where to where chips go, and after how many milliseconds
 * @typedef {{[Type in Wire.Event["type"]]?: (event: Extract<Wire.Event, {type: Type}>) => Way[]}} Ways
 * @typedef {{x: number, y: number}} Point
 */

/** @type {KeyframeAnimationOptions} */
const CARD = { duration: 340, easing: "cubic-bezier(0.2, 0.8, 0.3, 1)", fill: "backwards" };
const CHIP_DURATION = 420;
/** @type {KeyframeAnimationOptions} */
const CHIP = {
  duration: CHIP_DURATION,
  easing: "cubic-bezier(0.45, 0, 0.25, 1)",
  fill: "backwards",
};
const BETWEEN_CHIPS = 55;
const CHIPS = 3;
/** Won chips are laid beside the stake first, and then go to their player together. */
const PAYING = CHIP_DURATION + 260;

/** @param {{felt: HTMLElement, hand: HTMLElement}} parts `hand`: where my own chips come from */
export function createAnimations({ felt, hand }) {
  /** @type {Wire.Event[]} */
  let events = [];

  /** @param {string} selector */
  const first = (selector) => felt.querySelector(selector);
  /** @param {{seat: number}} event */
  const seatOf = ({ seat }) => first(`.seat[data-seat="${seat}"]`);
  /** @param {{seat: number, hand: number}} event */
  const handOf = (event) =>
    seatOf(event)?.querySelectorAll(".hand")[event.hand - 1]?.querySelector(".hand-line");
  /** @param {{seat: number}} event */
  const plateOf = (event) =>
    seatOf(event)?.querySelector(".plate .stake:not([hidden])") ?? badgeOf(event);
  /** @param {{seat: number}} event */
  const badgeOf = (event) => seatOf(event)?.querySelector(".badge");
  /** @param {{seat: number}} event */
  const purseOf = (event) => (seatOf(event)?.classList.contains("is-mine") ? hand : badgeOf(event));
  const dealer = () => first(".dealer-name");

  /** From where to where chips go, and when, for each event that moves some. @type {Ways} */
  const WAYS = {
    bet_placed: (event) => (event.stake ? [[purseOf(event), plateOf(event), 0]] : []),
    bet_returned: (event) => (event.stake ? [[plateOf(event), badgeOf(event), 0]] : []),
    hand_doubled: (event) => [[badgeOf(event), handOf(event), 0]],
    hand_split: (event) => (event.stake ? [[badgeOf(event), handOf(event), 0]] : []),
    insurance_taken: (event) => [[badgeOf(event), plateOf(event), 0]],
    insurance_settled: (event) => [
      event.payout ? [dealer(), badgeOf(event), 0] : [plateOf(event), dealer(), 0],
    ],
    hand_settled(event) {
      if (!event.stake) return [];
      if (event.payout > event.stake)
        return [
          [dealer(), handOf(event), 0],
          [handOf(event), badgeOf(event), PAYING],
        ];
      return [[handOf(event), event.payout ? badgeOf(event) : dealer(), 0]];
    },
  };

  /** @param {Wire.Event} event */
  function listPaths(event) {
    const ways = /** @type {((event: Wire.Event) => Way[])|undefined} */ (WAYS[event.type]);
    return ways?.(event) ?? [];
  }

  /** All measuring comes before all moving. */
  function listChipPaths() {
    return events
      .flatMap(listPaths)
      .flatMap(([from, to, delay]) =>
        from && to ? [{ from: getMiddle(from), to: getMiddle(to), delay }] : [],
      );
  }

  /** @param {{from: Point, to: Point, delay: number}} way */
  function slideChips({ from, to, delay }) {
    for (let number = 0; number < CHIPS; number += 1) {
      const chip = el("div", { class: "flying-chip", "aria-hidden": "true" });
      document.body.append(chip);
      /** @param {Point} point */
      const at = ({ x, y }) => `translate(${x - 11}px, ${y - 11 - number * 4}px)`;
      const way = chip.animate(
        [
          { transform: at(from), opacity: 0 },
          { opacity: 1, offset: 0.12 },
          { opacity: 1, offset: 0.85 },
          { transform: at(to), opacity: 0 },
        ],
        { ...CHIP, delay: delay + number * BETWEEN_CHIPS },
      );
      way.finished.finally(() => chip.remove()).catch(() => {});
    }
  }

  function listCardPaths() {
    const cards = findAll(felt, ".card.is-new");
    if (!cards.length) return [];
    const shoe = getMiddle(
      first(".piles:not([hidden]) [data-pile='deck'] .stack")
        ?? first(".shoe:not([hidden]) :is(.shoe-box, .shoe-seal)")
        ?? felt,
    );
    return cards.map((card) => {
      const to = getMiddle(card.parentElement ?? felt);
      return { card, ...toSeatCoordinates(card.closest(".seat"), shoe.x - to.x, shoe.y - to.y) };
    });
  }

  return {
    /** An event that is about to be drawn. @param {Wire.Event} event */
    hear: (event) => events.push(event),
    /**
     * Call it after drawing: animates new elements, unless `quiet`.
     * @param {{quiet: boolean}} manner
     */
    run({ quiet }) {
      const chips = quiet ? [] : listChipPaths();
      const cards = quiet ? [] : listCardPaths();
      events = [];
      chips.forEach(slideChips);
      for (const { card, x, y } of cards) {
        card.classList.remove("is-new");
        card.animate(
          [
            { transform: `translate(${x}px, ${y}px) rotate(-12deg) scale(0.6)`, opacity: 0.4 },
            { transform: "none", opacity: 1 },
          ],
          CARD,
        );
      }
    },
  };
}

/** @param {Element} node */
function getMiddle(node) {
  const { left, top, width, height } = node.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/**
 * The way as it is inside of a seat that stands at an angle.
 * @param {Element|null} seat @param {number} x @param {number} y
 */
function toSeatCoordinates(seat, x, y) {
  const { transform } = seat ? getComputedStyle(seat) : { transform: "none" };
  if (transform === "none") return { x, y };
  const way = new DOMMatrix(transform).inverse().transformPoint(new DOMPoint(x, y, 0, 0));
  return { x: way.x, y: way.y };
}
