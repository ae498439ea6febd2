"""Who needs larger text can read and play a round: text of twice its size is whole, and decisions are
in sight.
"""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.browser.players import PHONE, WIDE, Person

LAPTOP = (1280, 720)
LOOK = (Path(__file__).parent / "large_text.js").read_text().split("\n", 1)[1]


class LargeText:
    """Looks at a table's states with text of twice its size, on a phone and on a laptop."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.looked = 0

    async def see(self, state: str, person: Person) -> None:
        page = person.page
        if await page.locator("dialog[open], .is-open").count():
            return
        self.looked += 1
        await page.evaluate("document.documentElement.style.fontSize = '32px'")
        for width, height in (PHONE, LAPTOP):
            await page.set_viewport_size({"width": width, "height": height})
            await expect(page.locator("html.has-large-text")).to_have_count(1)
            faults = await page.evaluate(LOOK)
            self.faults += [f"{state}, {person.name}, {width}: {fault}" for fault in faults]
        await page.evaluate("document.documentElement.style.fontSize = ''")
        await page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
        await expect(page.locator("html.has-large-text")).to_have_count(0)
