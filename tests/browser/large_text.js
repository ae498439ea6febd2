// What is cut, covered by another text, or out of sight on a table's page with large text.
() => {
  const faults = [];
  const isSeen = (node) =>
    node.checkVisibility()
    && node.getClientRects().length > 0
    && node.textContent.trim()
    && getComputedStyle(node).clipPath === "none";
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isSeen);
  const box = (node) => node.getBoundingClientRect();
  const name = (node) => `${node.id || node.className} “${node.textContent.trim().slice(0, 20)}”`;

  const page = document.documentElement;
  if (page.scrollWidth > innerWidth + 1) {
    const wide = [...document.querySelectorAll("main *")].filter(isSeen);
    const past = wide.filter((node) => box(node).right > innerWidth + 1).map(name);
    faults.push(`the page is ${page.scrollWidth} wide: ${past}`);
  }

  scrollTo(0, 0);
  const controls = all("#controls :is(button, a, label)");
  for (const node of [...controls, ...all("#status-main, #status-sub")]) {
    const { top, bottom, left, right } = box(node);
    if (top < 0 || left < 0 || bottom > innerHeight + 0.5 || right > innerWidth + 0.5)
      faults.push(`${name(node)} is out of sight`);
  }

  const texts = all(
    ".site-header :is(h1, p, button, dd), .felt-corners button, .dealer-name, #dealer .total, .seat .total, .seat .stake:not([hidden]), .outcome:not([hidden]), .chip span, .pile-name, .pile-count, #game-result p",
  );
  for (const node of [...controls, ...texts])
    if (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
      faults.push(`${name(node)} is cut: ${node.scrollWidth} in ${node.clientWidth}`);

  /** Above the console, which lies over what is scrolled under it. */
  const parts = [controls, all(".felt-corners button, .dealer-name, #dealer .total, .seat .total, .seat .stake:not([hidden]), .outcome:not([hidden]), .seat .name, .pile-words, .sit")];
  for (const group of parts)
    for (const [index, one] of group.entries())
      for (const other of group.slice(index + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const [a, b] = [box(one), box(other)];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 2 && down > 2) faults.push(`${name(one)} lies over ${name(other)}`);
      }
  return faults;
}
