/** The check of a proof, as the page does it, against every published vector. */
import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ProofError } from "../../static/js/fairness/proof.js";
import { hmac, sha256, toHex } from "../../static/js/fairness/sha256.js";
import { findFaults } from "../../static/js/fairness/shuffle_check.js";

const VECTORS = JSON.parse(
  readFileSync(new URL("../../docs/fairness-vectors.json", import.meta.url), "utf8"),
);

test("every vector is found to be what it is", () => {
  assert.ok(VECTORS.length > 80);
  for (const { name, proof, seal, shoe, words, faults: expected } of VECTORS) {
    let found;
    try {
      found = findFaults(proof, { seal, shoe, words }).map(({ reason }) => reason);
    } catch (error) {
      assert.ok(error instanceof ProofError, name);
      found = null;
    }
    assert.deepEqual(found, expected, name);
  }
});

test("hashes are those of the standard, at every length around a block", () => {
  for (let size = 0; size < 300; size += 1) {
    const [message, key] = [randomBytes(size), randomBytes(1 + ((size * 7) % 150))];
    assert.equal(
      toHex(sha256(message)),
      createHash("sha256").update(message).digest("hex"),
      `SHA-256 of ${size}`,
    );
    assert.equal(
      toHex(hmac(key, message)),
      createHmac("sha256", key).update(message).digest("hex"),
      `HMAC of ${size}`,
    );
  }
});
