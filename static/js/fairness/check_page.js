/** The check of a shoe on the page of a round, in this browser. */

import { byId, el, readJson } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { compareProof, findGaps, listDealtCards } from "./comparison.js";
import { formatFault } from "./fault_text.js";
import { ProofError, readProof } from "./proof.js";
import { createSeenShoes } from "./seen_shoes.js";
import { findFaults } from "./shuffle_check.js";

/**
 * @import { Finding } from "./comparison.js"
 * @typedef {{account: number|null, epoch: string}} Viewer
 */

const SEAL_FITS = gettext("The secret matches the seal.");
const NO_PROOF = gettext("This proof can't be read, so it can't be checked.");
/** Reasons that do not concern the cards of the proof itself. */
const AS_SEEN = ["other_seal", "other_label"];
const CLASSES = { foul: "is-foul", good: "", note: "is-note" };
/** @type {Finding["kind"][]} */
const ORDER = ["foul", "good", "note"];

/** @param {unknown} published @param {Viewer} viewer @returns {Finding[]} */
function check(published, { account, epoch }) {
  const proof = readProof(published);
  const records = createSeenShoes(account);
  // The number goes into the shuffle: a site that may choose it afterwards may choose the cards.
  const shoe = records.numberOf(proof.commitment);
  const { seal, findings } = compareProof(
    proof,
    records.all(shoe ?? proof.label.replace("shoe:", "")),
    epoch,
  );
  const faults = findFaults(published, { seal, shoe });
  const reasons = faults.map(({ reason }) => reason);
  const isDealtSo = reasons.every((reason) => AS_SEEN.includes(reason));
  return [
    ...faults.map((fault) => createFinding("foul", formatFault(fault))),
    ...(reasons.includes("seal") || reasons.includes("secret")
      ? []
      : [createFinding("good", SEAL_FITS)]),
    ...(isDealtSo ? [listDealtCards(proof)] : []),
    ...findings,
    ...findGaps(proof),
  ];
}

/** @param {Finding["kind"]} kind @param {string} text @returns {Finding} */
const createFinding = (kind, text) => ({ kind, text });

/** @param {unknown} published @param {Viewer} viewer */
function checkProof(published, viewer) {
  try {
    return check(published, viewer);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return [createFinding("foul", NO_PROOF)];
  }
}

export function wireProof() {
  const proof = readJson("proof");
  const viewer = readJson("proof-viewer");
  document.getElementById("verify")?.addEventListener("click", () => {
    const findings = checkProof(proof, viewer);
    const inOrder = ORDER.flatMap((kind) => findings.filter((finding) => finding.kind === kind));
    byId("verdicts").replaceChildren(
      ...inOrder.map(({ kind, text }) => el("li", { class: CLASSES[kind] }, text)),
    );
  });
}
