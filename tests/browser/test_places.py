"""What is read most at a seat keeps its place and its room."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, WIDE, Evening, Person
from tests.browser.states.tables import decide

SMALL = (320, 568)
END_OF_TOTAL = """() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(".is-mine .total"));
  return Math.round(range.getBoundingClientRect().right);
}"""


async def ends_of_total(person: Person) -> list[int]:
    """Where it ends on each screen."""
    ends = []
    for width, height in (SMALL, PHONE, WIDE):
        await person.page.set_viewport_size({"width": width, "height": height})
        ends.append(await person.page.evaluate(END_OF_TOTAL))
    return ends


@pytest.mark.long
async def test_the_own_total_does_not_move_sideways_on_any_screen(evening: Evening) -> None:
    evening.server.stack("2s 6h 2d Kc 3c 4d 9s Th")
    (ann,) = await evening.at_table("Casino table", SMALL)
    await ann.bet(10)
    await ann.sees_status("Your turn")
    ends = [await ends_of_total(ann)]
    for action in ("hit", "hit", "stand"):
        await decide(ann, action)
        await expect(ann.page.locator("#controls [aria-disabled]")).to_have_count(0)
        ends.append(await ends_of_total(ann))
    await expect(ann.page.locator(".is-mine .outcome")).to_be_visible()
    ends.append(await ends_of_total(ann))
    for on_one_screen in zip(*ends, strict=True):
        assert max(on_one_screen) - min(on_one_screen) <= 1, ends


@pytest.mark.long
async def test_a_name_beside_many_cards_and_a_result_can_be_read(evening: Evening) -> None:
    evening.server.stack("2s 9s 6h 2d 8d Kc 3c 4d Th")
    ann = await evening.player("Bartholomew")
    ben = await evening.player("ben", SMALL)
    await ann.sit("Casino table", 1)
    await ben.sit("Casino table", 2)
    await ann.bet(100)
    await ben.bet(10)
    await decide(ann, "hit", "hit", "stand")
    await decide(ben, "stand")
    await expect(ben.bet_button).to_have_text("Rebet 10")
    await expect(ben.seat(1).locator(".outcome")).to_be_visible()
    letters = (
        await ben.seat(1)
        .locator(".name")
        .evaluate("node => Math.floor(11 * Math.min(1, node.clientWidth / node.scrollWidth))")
    )
    assert letters >= 7
