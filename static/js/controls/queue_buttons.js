/** The buttons about the line for a seat: get in line, leave it, and take the seat that is offered. */
import { el, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { getKey } from "./shortcuts.js";

/** @typedef {ReturnType<typeof createQueueButtons>} QueueButtons */

/** @param {{queueUp: () => void, leaveQueue: () => void, takeSeat: (seat: number) => void}} options */
export function createQueueButtons({ queueUp, leaveQueue, takeSeat }) {
  let isWaiting = false;
  /** @type {number|null} */
  let offered = null;

  /** @param {string} words @param {boolean} isQuiet @param {() => void} does @param {string} [command] with a key */
  function createButton(words, isQuiet, does, command) {
    const how = isQuiet ? " is-quiet" : "";
    const press = () => isWaiting || does();
    const key = command ? getKey(command) : null;
    return el(
      "button",
      { type: "button", class: `button is-wide${how}`, onclick: press, "aria-keyshortcuts": key },
      words,
    );
  }

  const takeOffered = () => {
    if (offered !== null) takeSeat(offered);
  };
  const join = createButton(gettext("Get in line"), false, queueUp, "queueUp");
  const leave = createButton(gettext("Leave the line"), true, leaveQueue);
  const take = createButton("", false, takeOffered, "takeSeat");
  const decline = createButton(gettext("No, thanks"), true, leaveQueue, "refuseSeat");
  const offer = el(
    "div",
    { class: "two-ways", role: "group", "aria-label": gettext("A seat for you") },
    take,
    decline,
  );

  /**
   * Runs one of these if it is the command of a key. Returns whether it was.
   * @param {Record<string, () => void>} commands
   */
  const runner = (commands) => (/** @type {string} */ command) => {
    if (!commands[command] || isWaiting) return false;
    commands[command]();
    return true;
  };

  return {
    nodes: { queueUp: join, inLine: leave, offer },
    runs: {
      queueUp: runner({ queueUp }),
      offer: runner({ takeSeat: takeOffered, refuseSeat: leaveQueue }),
    },
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
