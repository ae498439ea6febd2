"""The cost of decisions, on the page of a round and among the figures, on the smallest phone."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.players import Evening, Person
from tests.browser.test_stats import CASINO, SMALL, fits

ROUND = "8s 6h 8h Td 3c Td 8d 7c 2c"
"""Two eights against a six: split to 11 and 18; a stand on 11 is the mistake."""


async def played(evening: Evening) -> Person:
    """Ann, who has split well and then stood on 11."""
    evening.server.stack(ROUND)
    (ann,) = await evening.at_table(CASINO, SMALL)
    await ann.bet(10)
    for action in ("split", "stand", "stand"):
        await ann.act(action)
    await ann.sees_status("you are")
    return ann


@pytest.mark.long(seconds=10)
async def test_a_player_reads_the_cost_of_each_decision(evening: Evening) -> None:
    ann = await played(evening)
    await ann.page.goto(f"{ann.url}/rounds/1/")
    for _ in range(60):
        if await ann.page.get_by_role("heading", name="Luck and skill").count():
            break
        await asyncio.sleep(0.5)
        await ann.page.reload()
    decision = ann.page.locator("#replay .decision:visible")
    await expect(decision).to_have_count(0)
    for _ in range(20):
        await ann.button("Step back").click()
        if await ann.page.locator("[aria-current=step]").inner_text() == "Hand 1: You stand on 11.":
            break
    await expect(decision).to_have_count(1)
    await expect(decision).to_contain_text("Hand 1: Standing on 11 against a 6 cost")
    await expect(decision.locator(".is-best")).to_contain_text("Double")
    await expect(decision.locator(".is-done")).to_contain_text("Stand")
    assert await fits(ann.page)

    await ann.page.goto(f"{ann.url}/figures/")
    await expect(ann.page.get_by_role("img", name="Net and expected net")).to_be_visible()
    await ann.page.get_by_text("Show as a table").last.click()
    table = ann.page.get_by_role("table", name="Net and expected net")
    await expect(table.get_by_role("row")).to_have_count(2)
    assert await fits(ann.page)
