"""An amount of money stands on one line, on every page and every screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.players import WIDE, Evening, Person
from tests.browser.states import SCRIPTS

SIZES = ((320, 568), (360, 740), (768, 1024), WIDE)
LOOK = (Path(__file__).parent / "money_lines.js").read_text().split("\n", 1)[1]


@pytest.mark.parametrize("script", ["pages for players", "pages for operators", "casino"])
async def test_no_amount_is_broken_over_lines(evening: Evening, script: str) -> None:
    found: list[str] = []

    async def see(state: str, person: Person) -> None:
        if script == "casino" and state not in {"my turn", "won and lost", "seated"}:
            return
        for width, height in SIZES:
            await person.page.set_viewport_size({"width": width, "height": height})
            faults = await person.page.evaluate(LOOK)
            found.extend(f"{state}, {width}: {fault}" for fault in faults)
        await person.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})

    await SCRIPTS[script](evening, see)
    assert not found, "\n".join(found)
