/** Draws the settlement sheet into a picture, with the texts of the server. */
import { readJson } from "../lib/dom.js";

/**
 * @typedef {{name: string, detail: string, net: string, sign: number}} Line
 * @typedef {{title: string, subtitle: string, lines: Line[], foot: string}} Picture
 */

const WIDTH = 1080;
const MARGIN = 72;
const HEAD = 230;
const LINE = 118;
const FOOT = 120;
const SERIF = "Georgia, 'Times New Roman', serif";
const SANS = "system-ui, 'Segoe UI', Roboto, sans-serif";
const FELT = "#24654f";
const SOFT = "#d9e4d6";
const TEXT = "#f8f2e3";
/** By the sign of the result. @type {Record<number, string>} */
const COLOURS = { 1: "#f6dfa4", 0: TEXT, [-1]: "#f3b5a5" };

/** @returns {Picture} */
export const readPicture = () => readJson("picture");

/** @param {HTMLCanvasElement} canvas @param {Picture} picture */
export function drawSheet(canvas, { title, subtitle, lines, foot }) {
  canvas.width = WIDTH;
  canvas.height = HEAD + lines.length * LINE + FOOT;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.fillStyle = FELT;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.textBaseline = "alphabetic";

  /**
   * One line of text, made shorter until it fits.
   * @param {string} text @param {number} x @param {number} y @param {string} font @param {string} colour
   * @param {number} room @param {CanvasTextAlign} [align]
   */
  function write(text, x, y, font, colour, room, align = "left") {
    if (!pen) return;
    Object.assign(pen, { font, fillStyle: colour, textAlign: align });
    const letters = [...text];
    let label = text;
    while (pen.measureText(label).width > room && letters.length > 1) {
      letters.pop();
      label = `${letters.join("")}…`;
    }
    pen.fillText(label, x, y);
  }

  const room = WIDTH - 2 * MARGIN;
  write(title, MARGIN, 118, `600 60px ${SERIF}`, TEXT, room);
  write(subtitle, MARGIN, 172, `34px ${SANS}`, SOFT, room);
  lines.forEach(({ name, detail, net, sign }, index) => {
    const top = HEAD + index * LINE;
    pen.fillStyle = "rgb(255 255 255 / 0.18)";
    pen.fillRect(MARGIN, top - 14, room, 2);
    write(net, WIDTH - MARGIN, top + 62, `600 50px ${SERIF}`, COLOURS[sign], 330, "right");
    write(name, MARGIN, top + (detail ? 44 : 60), `600 42px ${SANS}`, TEXT, room - 350);
    if (detail) write(detail, MARGIN, top + 84, `30px ${SANS}`, SOFT, room - 350);
  });
  write(foot, MARGIN, canvas.height - 44, `28px ${SANS}`, SOFT, room);
}
