"""Who needs a page at twice its size can play a round."""

from __future__ import annotations

import pytest

from tests.browser.players import WIDE, Evening, Person
from tests.browser.states.tables import RULE_SETS

ZOOMED = (640, 400)
"""A laptop's screen at 200 %."""
ALL_AT_ONCE = """() => ["#dealer .total", ".is-mine .card", ".is-mine .total", "#controls button"]
  .flatMap((selector) => [...document.querySelectorAll(selector)])
  .filter((node) => {
    const { top, bottom, left, right } = node.getBoundingClientRect();
    return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth;
  })
  .map((node) => node.className)"""


@pytest.mark.long
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
