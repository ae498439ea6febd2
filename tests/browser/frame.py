"""The frame of a table's page: what is out of sight, covered or cut, and what has moved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.players import WIDE, Person

HARDEST = ((320, 568), (740, 360), (1280, 585))
"""With the least room: every state is looked at on these."""
IN_TURN = (
    ((360, 616), (768, 1024)),
    ((360, 740), (1366, 657)),
    ((1024, 600), (1920, 1080)),
    ((844, 390), (390, 844)),
)
"""States take turns on these."""
SIZES = (*HARDEST, *(size for sizes in IN_TURN for size in sizes))
LOOK = (Path(__file__).parent / "frame.js").read_text().split("\n", 1)[1]

UNPAINTED = "document.documentElement.style.opacity = 0"
"""Places are the same on a page that is not painted, which takes most of the time."""
PAINTED = "document.documentElement.style.opacity = ''"


class Frame:
    """Looks at every state of a table on the given screens, or on those whose turn it is."""

    def __init__(self, sizes: tuple[tuple[int, int], ...] | None = None) -> None:
        self.sizes = sizes
        self.faults: list[str] = []
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
        sizes = self.sizes or (*HARDEST, *IN_TURN[self.looked % len(IN_TURN)])
        self.looked += 1
        await page.evaluate(UNPAINTED)
        for size in sizes:
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            result: dict[str, Any] = await page.evaluate(LOOK)
            where = f"{state}, {person.name}, {size[0]}x{size[1]}"
            self.faults += [f"{where}: {fault}" for fault in result["faults"]]
            if not await page.locator("li.seat.is-mine").count():
                continue
            for part, y in result["places"].items():
                before, was = self.places.setdefault((person.name, size, part), (state, y))
                if abs(was - y) > 1:
                    self.faults.append(f"{where}: {part} is at {y}, and was at {was} ({before})")
        await page.evaluate(PAINTED)
        await page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
