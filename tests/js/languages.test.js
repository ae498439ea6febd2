/** Amounts as people read and type them, in the language of the page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createStake } from "../../static/js/controls/stake.js";
import { formatMoney } from "../../static/js/text/format.js";

/** Sets the language of the page that these scripts are on. @param {string} lang */
function speak(lang) {
  Object.defineProperty(globalThis, "document", {
    value: { documentElement: { lang } },
    configurable: true,
  });
}

/** The sum of a typed stake; null if it is refused. @param {string} text */
function typed(text) {
  const stake = createStake({ minimum: 100, maximum: null, unit: 100 });
  stake.type(text);
  return stake.isOdd ? null : stake.sum();
}

test("amounts are written as the language writes them", () => {
  const amounts = [8_750, 1_000, 100_000, 1_234_567_890, -250_050];
  /** @type {Record<string, string[]>} */
  const written = {
    en: ["87.50", "10", "1,000", "12,345,678.90", "−2,500.50"],
    de: ["87,50", "10", "1.000", "12.345.678,90", "−2.500,50"],
    es: ["87,50", "10", "1.000", "12.345.678,90", "−2.500,50"],
    fr: ["87,50", "10", "1\u202f000", "12\u202f345\u202f678,90", "−2\u202f500,50"],
  };
  for (const [lang, texts] of Object.entries(written)) {
    speak(lang);
    assert.deepEqual(amounts.map(formatMoney), texts, lang);
  }
});

test("a typed stake is read as the language writes thousands", () => {
  speak("en");
  assert.deepEqual(["1,000", "1.000", "1 000", "7,5"].map(typed), [100_000, null, null, null]);
  for (const lang of ["de", "es", "fr"]) {
    speak(lang);
    const texts = ["1.000", "1 000", "1\u202f000", "1000", "12.345.678", "25"];
    assert.deepEqual(
      texts.map(typed),
      [100_000, 100_000, 100_000, 100_000, 1_234_567_800, 2_500],
      lang,
    );
    for (const odd of ["1,000", "0.500", "1.00", "7,5", "7.5", "1.000 000", "1.000,50", "-5"])
      assert.equal(typed(odd), null, `${lang} ${odd}`);
  }
});

test("what the field shows is understood", () => {
  for (const lang of ["en", "de", "es", "fr"]) {
    speak(lang);
    assert.equal(typed(formatMoney(123_456_700)), 123_456_700, lang);
  }
});
