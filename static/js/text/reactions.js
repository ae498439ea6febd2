/** The reactions: their words and pictures. */
import { gettext } from "../lib/i18n.js";

/** @typedef {Wire.React["reaction"]} Reaction */

/** In the order of their buttons and keys. @type {{name: Reaction, words: string, path: string}[]} */
export const REACTIONS = [
  {
    name: "nice_hand",
    words: gettext("Nice hand"),
    path: "M12 3l2.7 5.6 6.1.8-4.4 4.3 1 6.1-5.4-2.9-5.4 2.9 1-6.1L3.2 9.4l6.1-.8z",
  },
  {
    name: "well_played",
    words: gettext("Well played"),
    path: "M7 11v9H4v-9zM7 11l4-8c2 0 2.6 1.4 2.3 3L12.5 9H19c1 0 1.7 1 1.4 2l-2 7.5c-.3 1-1 1.5-2 1.5H7",
  },
  {
    name: "good_luck",
    words: gettext("Good luck"),
    path: "M12 11C9 11 6 9 7 6.5S11 5 12 8c1-3 4-4 5-1.5S15 11 12 11zM12 11c0 3-2 6-4.5 5S6 12 9 11m3 0c0 3 2 6 4.5 5S18 12 15 11M12 12c0 4 1 7 3 9",
  },
  {
    name: "thanks",
    words: gettext("Thanks"),
    path: "M12 20C5 15 3 12 3 8.8 3 6 5 4.5 7.2 4.5 9.2 4.5 11 5.5 12 7.5c1-2 2.8-3 4.8-3C19 4.5 21 6 21 8.8 21 12 19 15 12 20z",
  },
  {
    name: "ouch",
    words: gettext("Ouch"),
    path: "M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM7.5 8.5l3 1.5-3 1.5m9-3l-3 1.5 3 1.5M8 17l2-1.5 2 1.5 2-1.5 2 1.5",
  },
  {
    name: "cheers",
    words: gettext("Cheers"),
    path: "M5 3h14l-1 6a6 6 0 0 1-12 0zM12 15v6M8 21h8M5.5 7h13",
  },
];

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} path */
export function createReactionIcon(path) {
  const icon = document.createElementNS(SVG, "svg");
  for (const [name, value] of [
    ["viewBox", "0 0 24 24"],
    ["class", "reaction-icon"],
    ["aria-hidden", "true"],
    ["focusable", "false"],
  ])
    icon.setAttribute(name, value);
  const drawn = document.createElementNS(SVG, "path");
  drawn.setAttribute("d", path);
  icon.append(drawn);
  return icon;
}
