"""axe-core, and the contrast of texts, on pages as they stand."""

from __future__ import annotations

from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page

from tests.browser.contrast import faint_texts
from tests.browser.players import PHONE, WIDE, Person

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": RULES, "resultTypes": ["violations"]}
RUN = "async options => (await axe.run(options)).violations"

# Colours glide from one scheme to the other: two frames begin that, its end is waited for. In what
# is not rendered, such as a closed part of the page, a transition may have none.
AT_REST = """async () => {
    for (let frame = 0; frame < 2; frame += 1) {
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
    const gliding = document.getAnimations().filter((one) => one instanceof CSSTransition);
    const ends = Promise.all(gliding.map((one) => one.finished.catch(() => {})));
    await Promise.race([ends, new Promise((done) => setTimeout(done, 2000))]);
}"""

Scheme = Literal["light", "dark"]
VIEWS: tuple[tuple[tuple[int, int], Scheme], ...] = (
    (PHONE, "light"), (PHONE, "dark"), (WIDE, "dark"), (WIDE, "light"),
)  # fmt: skip
"""States take turns in how they are looked at: on a phone or a wide screen, light or dark."""


class Inspector:
    """Looks at states on a phone and a wide screen, light and dark, and notes what is wrong."""

    def __init__(self, bench: Page) -> None:
        """``bench`` is a page of no site, in which pictures are looked at."""
        self.bench = bench
        self.faults: list[str] = []
        self.looked = 0

    async def see(self, state: str, person: Person) -> None:
        page = person.page
        if not await page.evaluate("'axe' in window"):
            await page.evaluate(AXE_SCRIPT)
        (width, height), scheme = VIEWS[self.looked % len(VIEWS)]
        self.looked += 1
        # By way of the phone, so that what is scrolled to comes to rest.
        for wide, high in dict.fromkeys((PHONE, (width, height))):
            await page.set_viewport_size({"width": wide, "height": high})
        await page.emulate_media(color_scheme=scheme)
        await page.evaluate(AT_REST)
        violations = await page.evaluate(RUN, OPTIONS)
        where = f"{state}, {person.name}, {scheme} {width}"
        if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            self.faults.append(f"{where}: the page is wider than the screen")
        self.faults += [
            f"{where}: {violation['id']} {node['target'][0]}: {node['failureSummary']}"
            for violation in violations
            for node in violation["nodes"]
        ]
        self.faults += [f"{where}: {text}" for text in await faint_texts(page, self.bench)]
        # The scripts go on where all controls are in sight.
        await page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
