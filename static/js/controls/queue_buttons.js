/** The buttons about the line for a seat: get in line, leave it, and take the seat that is offered. */
import { el, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

/** @typedef {ReturnType<typeof createQueueButtons>} QueueButtons */

/** @param {{queueUp: () => void, leaveQueue: () => void, takeSeat: (seat: number) => void}} options */
export function createQueueButtons({ queueUp, leaveQueue, takeSeat }) {
  let isWaiting = false;
  /** @type {number|null} */
  let offered = null;

  /** @param {string} words @param {boolean} isQuiet @param {() => void} does */
  function createButton(words, isQuiet, does) {
    const how = isQuiet ? " is-quiet" : "";
    const press = () => isWaiting || does();
    return el("button", { type: "button", class: `button is-wide${how}`, onclick: press }, words);
  }

  const join = createButton(gettext("Get in line"), false, queueUp);
  const leave = createButton(gettext("Leave the line"), true, leaveQueue);
  const take = createButton("", false, () => offered !== null && takeSeat(offered));
  const decline = createButton(gettext("No, thanks"), true, leaveQueue);
  const offer = el(
    "div",
    { class: "two-ways", role: "group", "aria-label": gettext("A seat for you") },
    take,
    decline,
  );

  return {
    nodes: { queueUp: join, inLine: leave, offer },
    /** @param {boolean} waiting @param {number|null} seat the one that is offered to me */
    draw(waiting, seat) {
      isWaiting = waiting;
      offered = seat;
      if (seat !== null) setText(take, gettext("Take seat %(seat)s", { seat }));
      for (const button of [join, leave, take, decline])
        setAttribute(button, "aria-disabled", waiting ? "true" : null);
    },
  };
}
