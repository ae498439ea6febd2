"""Where the system chooses the colours, lines say what colours say elsewhere."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.browser.players import PHONE, WIDE, Evening


async def style(part: Locator, name: str) -> str:
    value: str = await part.first.evaluate("(node, name) => getComputedStyle(node)[name]", name)
    return value


@pytest.mark.long
async def test_chips_clock_turn_and_switches_can_be_seen(evening: Evening) -> None:
    evening.context["forced_colors"] = "active"
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table("Casino table", WIDE, PHONE)
    page = ann.page
    assert await style(page.locator(".chip"), "borderTopStyle") == "solid"
    knob = "getComputedStyle(document.querySelector('.auto-mark'), '::before').backgroundColor"
    assert await page.evaluate(knob) != await style(page.locator(".auto-rebet"), "backgroundColor")
    await ann.bet(10)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    await expect(page.locator("#clock-bar")).to_be_visible()
    rest, bar = page.locator(".clock-left"), page.locator(".clock-bar")
    assert await style(rest, "backgroundColor") != await style(bar, "backgroundColor")
    assert await style(page.locator(".is-mine .hand.is-asked"), "outlineStyle") == "solid"
    assert await style(ben.page.locator(".seat.is-asked"), "outlineStyle") == "solid"
    await ann.act("stand")
    await ben.sees_status("Your turn")
    assert await style(page.locator(".seat.is-asked .plate"), "outlineStyle") == "solid"
    await ann.button("Settings").click()
    switch = page.locator("[data-setting='motion'] .switch-state")
    knob = "getComputedStyle(document.querySelector('.switch-state'), '::before').backgroundColor"
    assert await page.evaluate(knob) != await style(switch, "backgroundColor")
