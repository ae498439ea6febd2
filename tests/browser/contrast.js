/* What contrast.py does in pages. */

/** Every text that can be seen whole: what it says, where, in which colour. */
function findTexts() {
  const dialog = document.querySelector("dialog[open]");
  const walker = document.createTreeWalker(dialog ?? document.body, NodeFilter.SHOW_TEXT);
  const up = (element) => element ? [element, ...up(element.parentElement)] : [];
  const texts = [];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const words = walker.currentNode.textContent.trim();
    if (!words || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    // Hidden from eyes, switched off, or with a colour that a filter changes.
    // The large pip repeats the suit, and cards slide over each other's.
    if (element.closest(".visually-hidden, script, noscript, [aria-disabled=true], .pip")) continue;
    const styles = up(element).map((each) => getComputedStyle(each));
    if (styles.some((style) => style.filter !== "none")) continue;
    const [style] = styles;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const { left, top, right, bottom, width, height } = range.getBoundingClientRect();
    // Nothing may lie over a text that is judged, nor may an edge cut it off;
    // past the edge of a dialog, what is found is the dialog itself.
    const isSeen = [left + 1, (left + right) / 2, right - 1].every((x) => [top + 1, bottom - 1].every((y) => {
      const front = document.elementFromPoint(x, y);
      return front && (element.contains(front) || (front !== dialog && front.contains(element)));
    }));
    if (width < 3 || height < 3 || !isSeen) continue;
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    texts.push({
      words: words.slice(0, 40), name: `${element.tagName.toLowerCase()}.${element.className}`,
      left, top, width, height, needed: isLarge ? 3 : 4.5,
      color: element instanceof SVGElement ? style.fill : style.color,
      opacity: styles.reduce((product, each) => product * Number(each.opacity), 1),
    });
  }
  return texts;
}

function findAndHide(css) {
  const texts = findTexts();
  const style = document.createElement("style");
  style.id = "hides-texts";
  style.textContent = css;
  document.head.append(style);
  return texts;
}

function showAndFind() {
  document.getElementById("hides-texts").remove();
  return findTexts();
}

/** Which of them do not stand out from the pixels that are left where they were. */
async function findFaint({ picture, texts }) {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const context = (width, height) => new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  const behind = context(image.width, image.height);
  behind.drawImage(image, 0, 0);
  const paint = context(1, 1);
  const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const light = ([red, green, blue]) =>
    0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255) + 0.05;
  return texts.flatMap(({ words, name, left, top, width, height, needed, color, opacity }) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    const cover = (alpha / 255) * opacity;
    const pixels = behind.getImageData(Math.floor(left), Math.floor(top), Math.ceil(width), Math.ceil(height)).data;
    const ratioOn = (ground) => {
      const ink = [red, green, blue].map((part, index) => part * cover + ground[index] * (1 - cover));
      const [low, high] = [light(ink), light(ground)].sort((one, other) => one - other);
      return high / low;
    };
    const known = new Map();
    const ratios = [];
    for (let at = 0; at < pixels.length; at += 12) {
      const ground = [pixels[at], pixels[at + 1], pixels[at + 2]];
      const key = (ground[0] << 16) | (ground[1] << 8) | ground[2];
      if (!known.has(key)) known.set(key, ratioOn(ground));
      ratios.push(known.get(key));
    }
    // The median: rounded and turned grounds leave other pixels in the corners.
    const ratio = ratios.sort((one, other) => one - other)[Math.floor(ratios.length / 2)];
    return ratio < needed ? [`${name} "${words}": ${ratio.toFixed(2)} instead of ${needed}`] : [];
  });
}
