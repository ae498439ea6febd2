"""The frame of a table's page: what is out of sight, covered or cut, and what has moved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.players import WIDE, Person

SIZES = (
    (320, 568), (360, 616), (360, 740), (740, 360), (768, 1024),
    (1024, 600), (1280, 585), (1366, 657), (1920, 1080),
)  # fmt: skip
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
