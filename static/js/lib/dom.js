/** Helpers that build and update elements. Text is only ever inserted as text. */

/** @typedef {string|number|boolean|null|undefined|((event: never) => unknown)} Property */

/**
 * An element with attributes and children; a property such as `onclick` is a listener.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Property>} [props]
 * @param {...(Node|string)} children
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children);
  return node;
}

/**
 * Sets text only where it differs, so that live regions and selections are left in peace.
 * @param {Element} node @param {string} text
 */
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

/** @type {WeakMap<Element, string>} */
const keys = new WeakMap();

/**
 * Makes the children of `parent` one for each item, keeping those whose key is still there:
 * unchanged items keep their element, with its focus and its finished animation.
 * @template T
 * @template {Element} N
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T, index: number) => string} keyOf
 * @param {(item: T, index: number) => N} create
 * @param {(node: N, item: T, index: number) => void} update
 */
export function reconcile(parent, items, keyOf, create, update) {
  // All children were made by `create`.
  const children = /** @type {N[]} */ ([...parent.children]);
  const old = new Map(children.map((child) => [keys.get(child), child]));
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

/**
 * The node, which has to be an element of this kind. Throws if it is not.
 * @template {Element} [T=HTMLElement]
 * @param {unknown} node @param {string} name for the error @param {new () => T} [kind] by default `HTMLElement`
 * @returns {NoInfer<T>} the type is not inferred from the use
 */
function checkType(node, name, kind) {
  const type = kind ?? /** @type {new () => any} */ (HTMLElement);
  if (!(node instanceof type)) throw new Error(`No ${type.name} at ${name}.`);
  return /** @type {T} */ (node);
}

/**
 * The element with this id. Throws if there is none, or if it is of another kind.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id @param {new () => T} [kind] @returns {NoInfer<T>}
 */
export function byId(id, kind) {
  return checkType(document.getElementById(id), `#${id}`, kind);
}

/**
 * The first element below `root` that the selector fits. Throws if there is none, or if it is of another kind.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {ParentNode} root @param {string} selector @param {new () => T} [kind] @returns {NoInfer<T>}
 */
export function find(root, selector, kind) {
  return checkType(root.querySelector(selector), selector, kind);
}

/**
 * All elements below `root` that the selector fits. Throws if one is of another kind.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {ParentNode} root @param {string} selector @param {new () => T} [kind] @returns {NoInfer<T>[]}
 */
export function findAll(root, selector, kind) {
  return Array.from(root.querySelectorAll(selector), (node) => checkType(node, selector, kind));
}

/** The children of an element, which have to be HTML elements. @param {Element} node */
export function getChildren(node) {
  return Array.from(node.children, (child) => checkType(child, node.className));
}

/** The content of a `json_script` element. @param {string} id @returns {any} the value from the template */
export function readJson(id) {
  return JSON.parse(byId(id).textContent);
}

/** Whether the person asked for stillness: the whole computer, or this site in its settings. */
export function prefersReducedMotion() {
  return (
    document.documentElement.classList.contains("is-still")
    || window.matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}
