"""The check of a proof in a real browser: the same as that of the program, whatever it is given."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Page, Route

from tables.engine.provably_fair.proof import ProofError, find_proof_faults
from tests.helpers.servers.process import ROOT

VECTORS = json.loads((ROOT / "docs/fairness-vectors.json").read_text())
PLAIN, SAFE = "http://plain.test/", "https://safe.test/"
"""Browsers have SHA-256 of their own at the second alone."""

CHECK = """async proofs => {
  const { findFaults } = await import("/js/fairness/shuffle_check.js");
  const found = ({ proof, seal, shoe, words }) => {
    try {
      return findFaults(proof, { seal, shoe, words }).map(({ reason }) => reason);
    } catch (error) {
      return error.constructor.name === "ProofError" ? null : [String(error)];
    }
  };
  return JSON.parse(proofs).map(found);
}"""

HASHES = """async () => {
  const { sha256, hmac, toHex } = await import("/js/fairness/sha256.js");
  const random = (size) => crypto.getRandomValues(new Uint8Array(size));
  const wrong = [];
  for (let size = 0; size < 400; size += 1) {
    const [message, secret] = [random(size), random(1 + (size * 7) % 150)];
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", message));
    if (toHex(digest) !== toHex(sha256(message))) wrong.push(`SHA-256 of ${size}`);
    const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
    if (toHex(mac) !== toHex(hmac(secret, message))) wrong.push(`HMAC of ${size}`);
  }
  return wrong;
}"""  # noqa: E501  # a script of the browser

PUBLISHED = """async () => {
  const { sha256, hmac, toHex } = await import("/js/fairness/sha256.js");
  const bytes = (text) => new TextEncoder().encode(text);
  return [
    typeof crypto.subtle,
    toHex(sha256(bytes("abc"))),
    toHex(sha256(bytes("a".repeat(1_000_000)))),
    toHex(hmac(bytes("Jefe"), bytes("what do ya want for nothing?"))),
    toHex(hmac(new Uint8Array(131).fill(0xaa), bytes("Test Using Larger Than Block-Size Key - Hash Key First"))),
  ];
}"""  # noqa: E501  # a script of the browser


async def send_source(route: Route) -> None:
    """A module as it lies in the repository, and an empty page to load it from."""
    path = ROOT / "static" / Path(route.request.url.split("/", 3)[3])
    if path.suffix == ".js":
        await route.fulfill(body=path.read_text(), content_type="text/javascript")
    else:
        await route.fulfill(body="<!doctype html>", content_type="text/html")


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context()
    await context.route("**/*", send_source)
    yield await context.new_page()
    await context.close()


def find_faults_by_program(vector: dict[str, Any]) -> list[str] | None:
    values = {name: vector[name] for name in ("seal", "shoe", "words") if name in vector}
    try:
        return [fault.reason for fault in find_proof_faults(vector["proof"], **values)]
    except ProofError:
        return None


async def test_case_42_the_page_finds_in_every_vector_what_it_is(page: Page) -> None:
    await page.goto(PLAIN)
    faults = await page.evaluate(CHECK, json.dumps(VECTORS))
    assert dict(zip((vector["name"] for vector in VECTORS), faults, strict=True)) == {
        vector["name"]: vector["faults"] for vector in VECTORS
    }


async def test_case_43_hashes_are_those_of_the_browser_and_of_the_standards(page: Page) -> None:
    """FIPS 180-4; RFC 4231, cases 2 and 6."""
    await page.goto(SAFE)
    assert await page.evaluate(HASHES) == []
    await page.goto(PLAIN)
    assert await page.evaluate(PUBLISHED) == [
        "undefined",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ]


OTHERS = (
    None, True, 0, 1, -1, 2, 1.0, 1.5, 2**53, 52, 10**30, "", " ", "As", "??", "a\u00a0b", "\ud800",
    "constructor", "__proto__", "card-room-1", "vegas", "piles", "0" * 64, [], [1], {}, "shoe:1\n",
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every list and object in ``value``, with every key in it."""
    keys = value if isinstance(value, dict) else range(len(value))
    pairs = [(value, key) for key in keys]
    for _, key in list(pairs):
        if isinstance(value[key], dict | list):
            pairs += places(value[key])
    return pairs


def changed(proof: Any, chance: random.Random) -> Any:
    """The proof with something in it exchanged, left out, doubled or in another order."""
    for _ in range(chance.choice((1, 1, 2))):
        holder, key = chance.choice(places(proof))
        match chance.randrange(5):
            case 0 if isinstance(holder, list):
                holder.insert(key, deepcopy(chance.choice(holder)))
            case 1:
                del holder[key]
            case 2 if isinstance(holder[key], str) and " " in holder[key]:
                cards = holder[key].split(" ")
                chance.shuffle(cards)
                holder[key] = " ".join(cards)
            case 3 if isinstance(holder[key], int):
                holder[key] += chance.choice((-1, 1))
            case _:
                holder[key] = chance.choice(OTHERS)
    return proof


async def test_case_42_the_page_and_the_program_find_the_same_in_forged_proofs(page: Page) -> None:
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    good = [vector["proof"] for vector in VECTORS if vector["faults"] == []]
    forged = [{"proof": changed(deepcopy(chance.choice(good)), chance)} for _ in range(1_500)]
    await page.goto(PLAIN)
    faults = await page.evaluate(CHECK, json.dumps(forged))
    expected = [find_faults_by_program(vector) for vector in forged]
    for vector, ours, theirs in zip(forged, expected, faults, strict=True):
        assert theirs == ours, f"seed {seed}: {json.dumps(vector['proof'])}"
    assert any(expected)
