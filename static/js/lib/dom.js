/** Small helpers for building and keeping elements. Text only ever goes in as text. */

/**
 * An element with properties and children. `class`, `data` and `aria` are understood.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node|string)} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/** Sets text only where it differs, so that live regions and selections are left in peace. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Element} node @param {string} name @param {string|number|boolean|null} value */
export function setAttribute(node, name, value) {
  if (value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value === true ? "" : value)) {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} node @param {Record<string, boolean>} classes */
export function setClasses(node, classes) {
  for (const [name, isOn] of Object.entries(classes)) node.classList.toggle(name, isOn);
}

const keys = new WeakMap();

/**
 * Makes the children of `parent` one for each item, keeping those whose key is still there:
 * what was drawn stays the same element, with its focus and its finished animation.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T, index: number) => string} keyOf
 * @param {(item: T, index: number) => Element} create
 * @param {(node: Element, item: T, index: number) => void} update
 */
export function reconcile(parent, items, keyOf, create, update) {
  const old = new Map([...parent.children].map((child) => [keys.get(child), child]));
  items.forEach((item, index) => {
    const key = keyOf(item, index);
    const node = old.get(key) ?? create(item, index);
    old.delete(key);
    keys.set(node, key);
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
    update(node, item, index);
  });
  old.forEach((node) => node.remove());
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`No element with id ${id}.`);
  return node;
}

/** Whether the person asked for stillness: the whole computer, or this site in its settings. */
export function wantsStillness() {
  return (
    document.documentElement.classList.contains("is-still")
    || window.matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}
