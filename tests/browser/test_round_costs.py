"""The cost of decisions after a round: a line under the result that covers and moves nothing."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import Inspector
from tests.browser.frame import Frame
from tests.browser.players import PHONE, WIDE, Evening, Person
from tests.browser.test_stats import SMALL, fits


async def switch_costs(person: Person) -> None:
    await person.button("Settings").click()
    await person.switch("Cost of decisions").click()
    await expect(person.switch("Cost of decisions")).to_have_attribute("aria-checked", "true")
    await person.press("Escape")


@pytest.mark.long
async def test_the_cost_comes_after_the_result_to_who_wants_it(evening: Evening) -> None:
    evening.server.stack("8s Ts 6h 8h Kh 9d 3c 5d 7c 2c", "Ts 9c 6h 9s 9h 7d")
    evening.context["bypass_csp"] = True  # for axe
    frame, inspector = Frame(), Inspector(await evening.browser.new_page())
    ann, ben = await evening.at_table("Vegas table", WIDE, PHONE)
    line = ann.page.locator("#status-cost")
    await frame.see("before", ann)
    await switch_costs(ann)
    await ann.bet(250)
    await ben.bet(10)
    await ann.act("split")
    await ann.act("stand")
    await ann.act("stand")
    await expect(line).to_have_text("")
    await expect(ann.log).not_to_contain_text("Splitting")
    await ben.act("stand")
    await expect(line).to_contain_text("Best: Hit. Cost: 122.65.")
    await expect(ann.log).to_contain_text("Splitting two 8s against a 6 was right.")
    await expect(ann.log).to_contain_text("Hand 1: Standing on 11 against a 6 cost 0.")
    await frame.see("with the cost", ann)
    await inspector.see("the cost", ann)
    await expect(ben.page.locator("#status-cost")).to_have_text("")
    await ann.page.reload()
    await expect(line).to_contain_text("Best: Hit. Cost: 122.65.")
    assert not frame.faults, "\n".join(frame.faults)
    assert not inspector.faults, "\n".join(inspector.faults)


@pytest.mark.long
async def test_who_leaves_sees_what_the_session_came_to(evening: Evening) -> None:
    evening.server.stack("Ts 9c 6h 9s 9h 7d")
    evening.context["bypass_csp"] = True  # for axe
    inspector = Inspector(await evening.browser.new_page())
    (ann,) = await evening.at_table("Casino table", SMALL)
    card = ann.page.get_by_role("region", name="Your session")
    await ann.page.locator("#leave").click()
    await expect(ann.page.locator("li.seat.is-mine")).to_have_count(0)
    await expect(card).to_be_hidden()
    await ann.seat(2).locator(".sit").click()
    await ann.bet(10)
    await ann.act("stand")
    await ann.page.locator("#leave").click()
    await expect(card.get_by_role("status")).to_contain_text("Rounds")
    await expect(card).to_contain_text("Right decisions")
    for width, height in ((320, 568), (740, 360), (1280, 800)):
        await ann.page.set_viewport_size({"width": width, "height": height})
        await expect(card.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)
        assert await fits(ann.page)
    await inspector.see("the card", ann)
    await expect(card.get_by_role("link", name="Your stats")).to_have_attribute("href", "/figures/")
    await card.get_by_role("button", name="Close").click()
    await expect(card).to_be_hidden()
    await ann.seat(1).locator(".sit").click()
    await expect(card).to_be_hidden()
    assert not inspector.faults, "\n".join(inspector.faults)
