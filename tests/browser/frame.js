// What of the table's page is out of sight, covered or cut; and where its fixed parts are.
() => {
  const faults = [];
  const box = (node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return { x, y, width, height };
  };
  const name = (node) =>
    [node.id && `#${node.id}`, node.className, node.dataset.action].filter(Boolean).join(" ");
  const isSeen = (node) => node.checkVisibility() && node.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isSeen);

  /** Whole on the screen, and nothing else on top of it. */
  function inSight(node, isOnTop) {
    const { x, y, width, height } = box(node);
    if (x < -0.5 || y < -0.5 || x + width > innerWidth + 0.5 || y + height > innerHeight + 0.5)
      faults.push(`${name(node)} is out of sight: ${[x, y, width, height].map(Math.round)}`);
    const top = isOnTop && document.elementFromPoint(x + width / 2, y + height / 2);
    if (top && !node.contains(top) && !top.contains(node))
      faults.push(`${name(node)} is covered by ${name(top)}`);
  }

  /** The words of both have lines of their own. */
  function notPrintedOver(node, other) {
    const [these, those] = [node, other].map((of) => {
      const words = document.createRange();
      words.selectNodeContents(of);
      return [...words.getClientRects()];
    });
    const isOver = (a) => (b) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    if (these.some((line) => those.some(isOver(line))))
      faults.push(`${name(node)} is printed over ${name(other)}`);
  }

  for (const card of all("#dealer .card, .is-mine .card")) inSight(card, false);
  for (const node of all("#dealer .total, .is-mine .total, .is-mine .outcome, .is-mine .name, #status-main"))
    inSight(node, true);
  for (const control of all("#controls :is(button, input, a)")) {
    inSight(control, true);
    const { width, height } = box(control);
    if (Math.min(width, height) < 43.5) faults.push(`${name(control)} is smaller than a finger`);
    if (control.scrollWidth > control.clientWidth + 1) faults.push(`${name(control)} is cut`);
  }
  for (const holder of all(".status, #controls, .felt, .is-mine .hands, .is-mine .hand-line, .figures"))
    if (holder.scrollHeight > holder.clientHeight + 1.5 || holder.scrollWidth > holder.clientWidth + 1.5)
      faults.push(`${name(holder)} has no room: ${holder.scrollWidth}x${holder.scrollHeight} in ${holder.clientWidth}x${holder.clientHeight}`);
  for (const link of all(".felt-corners > *"))
    for (const part of all("#dealer :is(.dealer-name, .total):not(:empty)")) notPrintedOver(link, part);
  for (const seconds of all(".status .clock-seconds"))
    for (const part of all(".status :is(.status-main, .status-sub)")) notPrintedOver(seconds, part);
  for (const seat of all(".seat:not(.is-mine)"))
    for (const part of seat.querySelectorAll(".total:not(:empty), .outcome"))
      if (isSeen(part) && box(part).width > 1 && box(part).y + box(part).height > box(seat).y + box(seat).height + 1)
        faults.push(`${name(part)} is out of the box of seat ${seat.dataset.seat}`);
  for (const hand of all(".seat:not(.is-mine) .hand")) {
    const [card, total] = [[...hand.querySelectorAll(".card")].at(-1), hand.querySelector(".total")];
    if (!card || !total?.textContent || !isSeen(card) || !isSeen(total)) continue;
    const [last, sum] = [box(card), box(total)];
    const isBeside = last.y < sum.y + sum.height && sum.y < last.y + last.height;
    if (isBeside && last.x + last.width > sum.x + 1)
      faults.push(`a card of seat ${hand.closest(".seat").dataset.seat} lies over its total`);
  }
  const letters = 7;
  for (const shown of all(".seat .name")) {
    const size = Number.parseFloat(getComputedStyle(shown).fontSize);
    if (shown.clientWidth + 1 < Math.min(shown.scrollWidth, (letters * size) / 2))
      faults.push(`the name ${shown.textContent} has ${shown.clientWidth} pixels`);
  }
  const page = document.documentElement;
  if (page.scrollHeight > innerHeight + 1 || page.scrollWidth > innerWidth + 1)
    faults.push(`the page can be scrolled: ${page.scrollWidth}x${page.scrollHeight}`);

  const places = {};
  const anchors = {
    dealer: "#dealer .dealer-name",
    status: ".status",
    controls: "#controls",
    hands: ".is-mine .hands",
    plate: ".is-mine .badge",
    hit: "[data-action=hit]",
    stand: "[data-action=stand]",
    double: "[data-action=double]",
    split: "[data-action=split]",
    surrender: "[data-action=surrender]",
  };
  for (const [key, selector] of Object.entries(anchors)) {
    const node = document.querySelector(selector);
    if (node && isSeen(node)) places[key] = Math.round(box(node).y);
  }
  const cards = document.querySelector("#dealer .cards");
  if (cards) places["dealer's cards"] = Math.round(box(cards).y);
  return { faults, places };
}
