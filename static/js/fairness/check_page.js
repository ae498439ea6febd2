/** The check of a shoe on the page of a round, in this browser. */

import { byId, el, readJson } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { cardsInOrder, compare, gaps } from "./comparison.js";
import { faultWords } from "./fault_text.js";
import { ProofError, readProof } from "./proof.js";
import { createSeenShoes } from "./seen_shoes.js";
import { faults } from "./shuffle_check.js";

/**
 * @import { Finding } from "./comparison.js"
 * @typedef {{account: number|null, epoch: string}} Viewer
 */

const SEAL_FITS = gettext("The secret matches the seal.");
const NO_PROOF = gettext("This proof can't be read, so it can't be checked.");
/** Reasons that say nothing against the cards of the proof itself. */
const AS_SEEN = ["other_seal", "other_label"];
const CLASSES = { foul: "is-foul", good: "", note: "is-note" };
/** @type {Finding["kind"][]} */
const ORDER = ["foul", "good", "note"];

/** @param {unknown} published @param {Viewer} viewer @returns {Finding[]} */
function check(published, { account, epoch }) {
  const proof = readProof(published);
  const seen = createSeenShoes(account);
  // The number goes into the shuffle: a site that may choose it afterwards may choose the cards.
  const shoe = seen.numberOf(proof.commitment);
  const { seal, findings } = compare(
    proof,
    seen.all(shoe ?? proof.label.replace("shoe:", "")),
    epoch,
  );
  const found = faults(published, { seal, shoe });
  const reasons = found.map(({ reason }) => reason);
  const isDealtSo = reasons.every((reason) => AS_SEEN.includes(reason));
  return [
    ...found.map((fault) => findingOf("foul", faultWords(fault))),
    ...(reasons.includes("seal") || reasons.includes("secret")
      ? []
      : [findingOf("good", SEAL_FITS)]),
    ...(isDealtSo ? [cardsInOrder(proof)] : []),
    ...findings,
    ...gaps(proof),
  ];
}

/** @param {Finding["kind"]} kind @param {string} text @returns {Finding} */
const findingOf = (kind, text) => ({ kind, text });

/** @param {unknown} published @param {Viewer} viewer */
function checked(published, viewer) {
  try {
    return check(published, viewer);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return [findingOf("foul", NO_PROOF)];
  }
}

export function wireProof() {
  const proof = readJson("proof");
  const viewer = readJson("proof-viewer");
  document.getElementById("verify")?.addEventListener("click", () => {
    const found = checked(proof, viewer);
    const inOrder = ORDER.flatMap((kind) => found.filter((finding) => finding.kind === kind));
    byId("verdicts").replaceChildren(
      ...inOrder.map(({ kind, text }) => el("li", { class: CLASSES[kind] }, text)),
    );
  });
}
