"""What if, on the page of a round that was really played: another decision with the same cards."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import Inspector
from tests.browser.players import PHONE, Evening
from tests.browser.test_stats import fits

ROUND = "Ts Kd 6h Qc 5s 2c 3c"
"""Sixteen against a ten; the next card makes 21."""


async def test_a_player_sees_what_another_decision_would_have_brought(evening: Evening) -> None:
    evening.server.stack(ROUND)
    evening.context["bypass_csp"] = True  # for axe
    inspector = Inspector(await evening.browser.new_page())
    (ann,) = await evening.at_table("Casino table", PHONE)
    await ann.bet(10)
    await ann.act("stand")
    await ann.sees_status("You lose 10")
    await ann.page.goto(f"{ann.url}/rounds/1/")
    part = ann.page.get_by_role("region", name="What if?")
    outcome = part.locator("#what-if-outcome")
    await expect(part).to_contain_text("You stood.")
    await expect(outcome).to_have_count(0)

    await part.get_by_role("link", name="Hit instead").click()
    await expect(outcome.get_by_role("heading", name="If you had hit")).to_be_in_viewport()
    for name, amount in (("Would have been", "+10"), ("Was", "−10"), ("Difference", "+20")):
        figure = outcome.locator("dl.round-sum div", has=ann.page.get_by_text(name, exact=True))
        await expect(figure.get_by_role("definition")).to_have_text(amount)
    expected = outcome.get_by_role("table", name="What was to be expected")
    hit = expected.get_by_role("row", name="Hit")
    await expect(hit).to_contain_text("best")
    await expect(hit).to_contain_text("shown here")
    await expect(hit.get_by_role("cell").first).to_contain_text("−0.5")
    await expect(expected.get_by_role("row", name="Stand")).to_contain_text("what you did")
    assert await fits(ann.page)
    await inspector.see("what if", ann)

    await part.get_by_role("link", name="Double instead").click()
    await expect(outcome.get_by_role("heading", name="If you had doubled")).to_be_in_viewport()
    await expect(outcome).to_contain_text("+20")
    assert not inspector.faults, "\n".join(inspector.faults)


@pytest.mark.long
async def test_others_who_open_the_page_are_offered_no_other_decision(evening: Evening) -> None:
    evening.server.stack(ROUND)
    (ann,) = await evening.at_table("Casino table", PHONE)
    await ann.bet(10)
    await ann.act("stand")
    await ann.sees_status("You lose 10")
    ben = await evening.player("ben", PHONE)
    answer = await ben.page.goto(f"{ben.url}/rounds/1/?if=0-hit")
    assert answer is not None
    assert answer.ok
    await expect(ben.page.get_by_role("heading", level=1)).to_be_visible()
    await expect(ben.page.get_by_text("What if?")).to_have_count(0)
