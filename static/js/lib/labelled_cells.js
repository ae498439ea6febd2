/**
 * Labels the cells of a table with the headings of their columns. On a phone the stylesheet then shows
 * each row as a list of headings and values, so that no amount is out of sight. The roles keep it a
 * table for screen readers, whatever its cells are displayed as.
 * @param {HTMLTableElement} table
 */
export function labelCells(table) {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.innerText.trim());
  if (headings.length < 3) return;
  table.classList.add("is-labelled");
  table.setAttribute("role", "table");
  for (const part of [table.tHead, ...table.tBodies, table.tFoot]) {
    part?.setAttribute("role", "rowgroup");
    for (const row of part?.rows ?? []) labelRow(row, headings, part === table.tHead);
  }
}

/** @param {HTMLTableRowElement} row @param {string[]} headings @param {boolean} isHead */
function labelRow(row, headings, isHead) {
  row.setAttribute("role", "row");
  let column = 0;
  for (const cell of row.cells) {
    const isHeading = cell.tagName === "TH";
    cell.setAttribute("role", isHead ? "columnheader" : isHeading ? "rowheader" : "cell");
    if (!isHead && cell.colSpan === 1) cell.dataset.label = headings[column] ?? "";
    cell.classList.toggle("is-blank", !cell.innerText.trim());
    column += cell.colSpan;
  }
}
