/**
 * Translation. The sentences of another language come in a script before this one; without it they
 * are the English ones of the scripts.
 */

/**
 * @typedef {Record<string, string|number|null|undefined>} Values by the names of the placeholders
 * @typedef {{sentences: Record<string, string|string[]>, plural: (n: number) => number}} Catalog
 */

/** @type {Catalog} */
const { sentences, plural } = /** @type {{words?: Catalog}} */ (globalThis).words ?? {
  sentences: {},
  plural: (n) => Number(n !== 1),
};

/** The language of the page; English where there is no page. */
export function language() {
  return globalThis.document?.documentElement.lang ?? "en";
}

/**
 * The locale for times: the reader's own variant of the page's language, such as `en-GB`, if the
 * browser names one.
 */
export function locale() {
  const { lang } = document.documentElement;
  return navigator.languages.find((each) => each.split("-")[0] === lang) ?? lang;
}

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u;

/** A value, isolated if it would turn the words beside it around. @param {string} value */
function isolated(value) {
  return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
}

/** A sentence with its values in the places of `%(name)s`. @param {string} template @param {Values} values */
export function fill(template, values) {
  return template.replace(/%\((\w+)\)s/g, (_, name) => isolated(String(values[name])));
}

/** @param {string} text @param {Values} [values] */
export function gettext(text, values) {
  const found = String(sentences[text] ?? text);
  return values ? fill(found, values) : found;
}

/** Marks a sentence for the catalogue; it is translated where it is shown. @param {string} text */
export function gettext_noop(text) {
  return text;
}

/**
 * The sentence that `number` asks for.
 * @param {string} one @param {string} many @param {number} number @param {Values} [values]
 */
export function ngettext(one, many, number, values = { number }) {
  const forms = sentences[one] ?? [one, many];
  return fill(forms[plural(number)], values);
}
