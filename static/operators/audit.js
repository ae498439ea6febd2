/** How far the audit is, asked every second; the page is loaded anew when it is over. */

const EVERY_MS = 1000;

const section = find(document, "[data-progress]", HTMLElement);

/**
 * The first element that the selector fits. Throws if there is none, or if it is of another kind.
 * @template {Element} T
 * @param {ParentNode} root @param {string} selector @param {new () => T} kind
 */
function find(root, selector, kind) {
  const node = root.querySelector(selector);
  if (node instanceof kind) return node;
  throw new Error(`No ${kind.name} at ${selector}.`);
}

/** @param {string} name */
const part = (name) => find(section, `[data-${name}]`, HTMLElement);

/** @param {{step: string, number: number, so_long: string, of: number|null, done: number}} told */
function show(told) {
  part("step").textContent = told.step;
  part("number").textContent = String(told.number);
  part("time").textContent = told.so_long;
  const bar = find(section, "[data-bar]", HTMLProgressElement);
  if (told.of) {
    bar.max = told.of;
    bar.value = told.done;
  } else {
    bar.removeAttribute("value");
  }
}

async function ask() {
  const answer = await fetch(section.dataset.progress ?? "", {
    headers: { Accept: "application/json" },
  });
  if (!answer.ok) return true;
  const told = await answer.json();
  if (told.is_running) show(told);
  return told.is_running;
}

async function follow() {
  let goesOn = true;
  try {
    goesOn = await ask();
  } catch {
    // The server is not there for the moment: it is asked again.
  }
  if (goesOn) setTimeout(follow, EVERY_MS);
  else location.reload();
}

follow();
