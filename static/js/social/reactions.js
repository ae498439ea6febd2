/** The six reactions of a seated player: buttons over the felt, and keys while they are open. */
import { showReaction } from "../board/reaction_bubbles.js";
import { byId, el, findAll, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { sayIn } from "../lib/voice.js";
import { generateId } from "../net/command_queue.js";
import { createReactionIcon, REACTIONS } from "../text/reactions.js";

/**
 * @import { Sent } from "../net/command_queue.js"
 * @import { Reaction } from "../text/reactions.js"
 */

const REFUSED_FOR = 5_000;
const SENT = gettext("Sent.");

/**
 * @param {{send: (message: Sent) => boolean, isMuted: (player: string) => boolean}} options
 */
export function createReactions({ send, isMuted }) {
  const opener = byId("react-open");
  const openerInChat = byId("react-in-chat"); // where a phone has no room for the other one
  const panel = byId("reactions");
  const refusal = byId("reactions-refusal");
  /** @type {Set<string>} */
  const sent = new Set();
  let refusalTimer = 0;
  let mayReact = false;
  /** Where the focus was. @type {Element|null} */
  let origin = null;

  panel.prepend(
    ...REACTIONS.map(({ name, words, path }, index) =>
      el(
        "button",
        {
          type: "button",
          class: "reaction-button",
          "aria-keyshortcuts": String(index + 1),
          onclick: () => react(name),
        },
        createReactionIcon(path),
        el("span", {}, words),
        el("kbd", { "aria-hidden": "true" }, String(index + 1)),
      ),
    ),
  );
  opener.addEventListener("click", () => open(Boolean(panel.hidden)));
  openerInChat.addEventListener("click", () => {
    byId("chat-close").click();
    open(true);
  });
  panel.addEventListener("keydown", (event) => {
    const chosen = REACTIONS[Number(event.key) - 1];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (chosen) react(chosen.name);
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !panel.contains(target) && !opener.contains(target)) open(false);
  });

  /** @param {boolean} isOpen */
  function open(isOpen) {
    const is = isOpen && mayReact;
    if (panel.hidden === !is) return is;
    if (is) origin = document.activeElement;
    panel.hidden = !is;
    setAttribute(opener, "aria-expanded", String(is));
    refuse("");
    if (is) findAll(panel, "button")[0]?.focus({ preventScroll: true });
    return is;
  }

  /** Back to the button, or to the game, whose keys are in use again. */
  function leave() {
    open(false);
    const home = origin === opener && opener.checkVisibility() ? opener : byId("console");
    home.focus({ preventScroll: true });
  }

  /** A reaction is sent once: one that is lost is not sent later, when it has no meaning. @param {Reaction} reaction */
  function react(reaction) {
    const id = generateId();
    if (!send({ t: "react", id, reaction })) return;
    sent.add(id);
  }

  /** @param {string} text */
  function refuse(text) {
    clearTimeout(refusalTimer);
    setText(refusal, text);
    if (text) refusalTimer = setTimeout(() => setText(refusal, ""), REFUSED_FOR);
  }

  return {
    /** From its key. Whether it opened. */
    open: () => open(true),
    /** @param {Wire.Reacted} reacted @param {string|null} you */
    reacted(reacted, you) {
      const { player, reaction } = reacted;
      const found = REACTIONS.find(({ name }) => name === reaction);
      if (!found || (player !== you && isMuted(player))) return;
      showReaction(reacted);
      sayIn("chat-voice", player === you ? SENT : `${player}: ${found.words}`);
    },
    /**
     * Whether the answer was to one of my reactions.
     * @param {string|null} id @param {Pick<Wire.Err, "message">|null} refused
     */
    answered(id, refused) {
      if (!id || !sent.delete(id)) return false;
      if (refused) refuse(refused.message);
      else if (!panel.hidden) leave();
      return true;
    },
    /** @param {boolean} may whether I sit here, and nobody has turned the chat off */
    draw(may) {
      mayReact = may;
      opener.hidden = openerInChat.hidden = !may;
      if (!may) open(false);
    },
  };
}
