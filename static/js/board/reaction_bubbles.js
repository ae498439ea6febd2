/** Reactions at the seats, for some seconds. */
import { byId, el } from "../lib/dom.js";
import { createReactionIcon, REACTIONS } from "../text/reactions.js";

const SHOWN_FOR = 3_500;

/** Shows a reaction at its seat, in the place of an earlier one. @param {Wire.Reacted} reacted */
export function showReaction({ seat, reaction }) {
  const found = REACTIONS.find(({ name }) => name === reaction);
  const place = byId("seats").querySelector(`[data-seat="${seat}"] .plate`);
  if (!found || !place) return;
  place.querySelector(".reaction")?.remove();
  const bubble = el(
    "p",
    { class: "reaction", "aria-hidden": "true" },
    createReactionIcon(found.path),
    el("span", {}, found.words),
  );
  place.append(bubble);
  setTimeout(() => bubble.remove(), SHOWN_FOR);
}
