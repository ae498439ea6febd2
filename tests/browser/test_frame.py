"""The page of a table is one frame: all that is needed is in sight, and keeps its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, WIDE, Evening, Person
from tests.browser.states import SCRIPTS
from tests.browser.states.languages import IN_LANGUAGES
from tests.browser.states.tables import RULE_SETS, decide

SIZES = (
    (320, 568), (360, 616), (360, 740), (740, 360), (768, 1024),
    (1024, 600), (1280, 585), (1366, 657), (1920, 1080),
)  # fmt: skip
NARROW = ((320, 568), PHONE, (740, 360), (1280, 585))
LOOK = (Path(__file__).parent / "frame.js").read_text().split("\n", 1)[1]


class Frame:
    """Looks at every state of a table on every screen."""

    def __init__(self, sizes: tuple[tuple[int, int], ...] = SIZES) -> None:
        self.sizes = sizes
        self.found: list[str] = []
        self.places: dict[tuple[str, tuple[int, int], str], tuple[str, int]] = {}
        self.looked = 0

    async def see(self, state: str, person: Person) -> None:
        page = person.page
        if not await page.evaluate(
            "document.body.matches('.at-table:not(.is-closed)') && !document.querySelector('dialog[open]')"
        ):
            return
        is_open = await page.evaluate("Boolean(document.querySelector('.is-open, details[open]'))")
        if is_open:
            return
        self.looked += 1
        for size in self.sizes:
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            result: dict[str, Any] = await page.evaluate(LOOK)
            where = f"{state}, {person.name}, {size[0]}x{size[1]}"
            self.found += [f"{where}: {fault}" for fault in result["faults"]]
            if not await page.locator("li.seat.is-mine").count():
                continue
            for part, y in result["places"].items():
                before, was = self.places.setdefault((person.name, size, part), (state, y))
                if abs(was - y) > 1:
                    self.found.append(f"{where}: {part} is at {y}, and was at {was} ({before})")
        await page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})


@pytest.mark.parametrize("script", [*RULE_SETS, "a table of one's own"])
async def test_everything_is_in_sight_and_keeps_its_place(evening: Evening, script: str) -> None:
    frame = Frame()
    await SCRIPTS[script](evening, frame.see)
    assert frame.looked
    assert not frame.found, "\n".join(frame.found)


@pytest.mark.parametrize("script", IN_LANGUAGES)
async def test_the_words_of_every_language_have_room(evening: Evening, script: str) -> None:
    frame = Frame(NARROW)
    await IN_LANGUAGES[script](evening, frame.see)
    assert frame.looked > 9
    assert not frame.found, "\n".join(frame.found)


async def test_the_longest_names_have_room(evening: Evening) -> None:
    evening.server.stack("As 9s 9h 6h Kd 8d 8c Kc Th")
    frame = Frame()
    people = [await evening.player(letter * 20) for letter in "WMO"]
    for seat, person in enumerate(people, 1):
        await person.sit("Casino table", seat)
    first = people[0]
    await first.bet(10)
    await frame.see("waiting", first)
    for person in people[1:]:
        await person.bet(10)
    await people[1].sees_status("Your turn")
    await frame.see("another's turn", people[2])
    await people[1].act("stand")
    await people[2].act("stand")
    await first.sees_status("Blackjack")
    await frame.see("over", first)
    assert not frame.found, "\n".join(frame.found)


SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries())
    if (!hadRecentInput) shifted += value;
}).observe({ type: "layout-shift" });
"""
"""Counts as browsers do: what moves right after an own press was asked for."""
LARGEST = 0.02


@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "desktop"])
async def test_nothing_moves_through_insurance_splits_and_results(
    evening: Evening, size: tuple[int, int]
) -> None:
    evening.context["reduced_motion"] = "no-preference"
    evening.server.stack("9s Ts Ah 9h 7d 8c 2d 3c 4c", "8s Ts 6h 8h 9d Kc 8d 8c 2c 3c 4c 5c Tc")
    ann, ben = await evening.at_table("Vegas table", size, size)
    for person in (ann, ben):
        await person.page.evaluate(SHIFTS)
        await person.bet(20)
    for person in (ann, ben):
        await decide(person, "decline")
    for person in (ann, ben):
        await decide(person, "stand")
    await moved_little(ann, ben)
    for person in (ann, ben):
        await person.bet_button.click()
    await ann.sees_status("Your turn")
    await decide(ann, "split", "split", "stand", "stand", "split", "stand", "stand")
    await decide(ben, "stand")
    await moved_little(ann, ben)


async def moved_little(*people: Person) -> None:
    """In the round that is over now."""
    for person in people:
        await expect(person.bet_button).to_have_text("Rebet 20")
    for person in people:
        shifted = await person.page.evaluate("[shifted, (shifted = 0)][0]")
        assert shifted <= LARGEST, person.name
