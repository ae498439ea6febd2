// The amounts of money on a page that are broken over lines, each place being given the longest meanwhile.
() => {
  const found = [];
  const replaced = [];
  const amount = /(?:(?<!\d)[−+-])?\d[\d,]*(?:[.]\d\d)?/g; // After a digit it is the hyphen of a date.
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility() || node.parentElement.closest("svg, option, code, .floor-seal")) continue;
    // The longest that a place of money alone may have to show.
    if (/^\s*[−+]\d[\d,]*[.]?\d*\s*$/.test(node.data) && node.parentElement.closest("td, dd, .figure-net, .amount")) {
      replaced.push([node, node.data]);
      node.data = "−1,157.50";
    }
    for (const { 0: text, index } of node.data.matchAll(amount)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push(`${text} in ${node.parentElement.className || node.parentElement.tagName}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push("the page is too wide");
  for (const [node, data] of replaced) node.data = data;
  return [...new Set(found)];
}
