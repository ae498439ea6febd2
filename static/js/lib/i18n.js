/**
 * What people read or hear, in the language of the site. The sentences of another language come in
 * a script before this one; without it they are English, as the scripts have them.
 */

const { sentences = {}, plural = (n) => Number(n !== 1) } = globalThis.words ?? {};

/** A sentence with its values in the places of `%(name)s`. @param {Record<string, any>} values */
export function fill(template, values) {
  return template.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
}

/** @param {string} text @param {Record<string, any>} [values] */
export function gettext(text, values) {
  const found = sentences[text] ?? text;
  return values ? fill(found, values) : found;
}

/** The sentence that `number` asks for. @param {Record<string, any>} [values] */
export function ngettext(one, many, number, values = { number }) {
  const forms = sentences[one] ?? [one, many];
  return fill(forms[plural(number)], values);
}
