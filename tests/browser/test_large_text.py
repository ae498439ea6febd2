"""Who needs larger text, or a page at twice its size, can read and play a round."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, WIDE, Evening, Person
from tests.browser.states.tables import RULE_SETS

LAPTOP = (1280, 720)
ZOOMED = (640, 400)
"""A laptop's screen at 200 %."""
LOOK = (Path(__file__).parent / "large_text.js").read_text().split("\n", 1)[1]
ALL_AT_ONCE = """() => ["#dealer .total", ".is-mine .card", ".is-mine .total", "#controls button"]
  .flatMap((selector) => [...document.querySelectorAll(selector)])
  .filter((node) => {
    const { top, bottom, left, right } = node.getBoundingClientRect();
    return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth;
  })
  .map((node) => node.className)"""


@pytest.mark.parametrize("script", ["vegas", "classic", "piles"])
async def test_text_at_twice_its_size_is_whole_and_decisions_are_in_sight(
    evening: Evening, script: str
) -> None:
    found: list[str] = []

    async def see(state: str, person: Person) -> None:
        page = person.page
        if await page.locator("dialog[open], .is-open").count():
            return
        await page.evaluate("document.documentElement.style.fontSize = '32px'")
        for width, height in (PHONE, LAPTOP):
            await page.set_viewport_size({"width": width, "height": height})
            await expect(page.locator("html.has-large-text")).to_have_count(1)
            faults = await page.evaluate(LOOK)
            found.extend(f"{state}, {person.name}, {width}: {fault}" for fault in faults)
        await page.evaluate("document.documentElement.style.fontSize = ''")
        await page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})

    await RULE_SETS[script](evening, see)
    assert not found, "\n".join(found)


async def test_a_page_at_twice_its_size_shows_hand_total_and_buttons_together(
    evening: Evening,
) -> None:
    looked = []

    async def see(state: str, person: Person) -> None:
        if state != "my turn":
            return
        looked.append(state)
        await person.page.set_viewport_size({"width": ZOOMED[0], "height": ZOOMED[1]})
        assert await person.page.evaluate(ALL_AT_ONCE) == []
        await person.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})

    await RULE_SETS["pot"](evening, see)
    assert looked
