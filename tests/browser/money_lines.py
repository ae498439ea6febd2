"""Amounts of money that are broken over lines, on a narrow and on a wide screen."""

from __future__ import annotations

from pathlib import Path

from tests.browser.players import WIDE, Person

SIZES = ((320, 568), (360, 740), (768, 1024), WIDE)
LOOK = (Path(__file__).parent / "money_lines.js").read_text().split("\n", 1)[1]


class MoneyLines:
    """Looks at some states, or at all of them, on every screen."""

    def __init__(self, states: set[str] | None) -> None:
        self.states = states
        self.faults: list[str] = []
        self.looked = 0

    async def see(self, state: str, person: Person) -> None:
        if self.states is not None and state not in self.states:
            return
        self.looked += 1
        for width, height in SIZES:
            await person.page.set_viewport_size({"width": width, "height": height})
            faults = await person.page.evaluate(LOOK)
            self.faults += [f"{state}, {width}: {fault}" for fault in faults]
