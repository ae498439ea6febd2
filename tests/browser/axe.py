"""axe-core on pages as they stand."""

from __future__ import annotations

from axe_playwright_python.async_playwright import Axe

from tests.browser.people import PHONE, WIDE, Person

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": RULES, "resultTypes": ["violations"]}


class Inspector:
    """Looks at states on a phone and a wide screen, light and dark, and notes what is wrong."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.looked = 0

    async def see(self, state: str, person: Person) -> None:
        page = person.page
        for width, height in (PHONE, WIDE):
            await page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                await page.emulate_media(color_scheme=scheme)
                results = await Axe().run(page, options=OPTIONS)
                self.looked += 1
                for violation in results.response["violations"]:
                    self.found += [
                        f"{state}, {person.name}, {scheme} {width}: {violation['id']} "
                        f"{node['target'][0]}: {node['failureSummary'].splitlines()[-1].strip()}"
                        for node in violation["nodes"]
                    ]
