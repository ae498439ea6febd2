"""``make gallery``: plays scripted rounds in Chromium and takes pictures of every state.

Every state is pictured on phones, a tablet, a laptop and a wide screen, light and dark;
``var/gallery/index.html`` shows them side by side. The two pictures of the README go to ``docs/pictures``.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, async_playwright

from tests.browser.players import PHONE, WIDE, Evening, Person, browser_arguments, find_chromium
from tests.browser.states import SCRIPTS
from tests.browser.states.languages import IN_LANGUAGES
from tests.helpers.servers.process import ROOT, prepare, serving

FOLDER = ROOT / "var/gallery"
README = {
    "table.png": "casino/my-turn-ann-wide-light.png",
    "phone.png": "casino/doubling-ben-phone-light.png",
}
Scheme = Literal["light", "dark"]
SIZES: dict[str, tuple[tuple[int, int], tuple[Scheme, ...]]] = {
    "phone": (PHONE, ("light", "dark")),
    "small": ((320, 568), ("light",)),
    "side": ((740, 360), ("dark",)),
    "tablet": ((768, 1024), ("light",)),
    "laptop": ((1366, 657), ("light",)),
    "wide": (WIDE, ("light", "dark")),
}
"""The screens, and the colours in which each is pictured. The scripts go on at the last one."""
VIEWS = [f"{size}-{scheme}" for size, (_, schemes) in SIZES.items() for scheme in schemes]
PICTURED = {**SCRIPTS, **IN_LANGUAGES}
HEAD = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Gallery</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 1rem; background: #777; color: #fff }
  .views { display: flex; flex-wrap: wrap; gap: .5rem; align-items: start }
  img { height: 22rem; display: block }
  a { color: inherit }
</style>
"""


class Gallery:
    """The pictures of one script, in the order in which they were taken."""

    def __init__(self, script: str) -> None:
        self.folder = FOLDER / slug(script)
        self.folder.mkdir(parents=True)
        self.has_whole_pages = "page" in script
        self.states: list[tuple[str, str]] = []

    async def see(self, state: str, person: Person) -> None:
        """Take the pictures of a state."""
        name = f"{slug(state)}-{person.name}"
        self.states.append((f"{state} ({person.name})", f"{self.folder.name}/{name}"))
        for size, ((width, height), schemes) in SIZES.items():
            await person.page.set_viewport_size({"width": width, "height": height})
            for scheme in schemes:
                await person.page.emulate_media(color_scheme=scheme)
                await person.page.wait_for_timeout(150)
                await person.page.screenshot(
                    path=self.folder / f"{name}-{size}-{scheme}.png",
                    full_page=self.has_whole_pages,
                )


def slug(words: str) -> str:
    """
    >>> slug("Play again?")
    'play-again'
    """
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def index(galleries: dict[str, Gallery]) -> str:
    """The page that shows all pictures, by script and state."""
    parts = [
        HEAD,
        *(f'<a href="#{each.folder.name}">{name}</a>' for name, each in galleries.items()),
    ]
    for name, gallery in galleries.items():
        parts.append(f'<h1 id="{gallery.folder.name}">{escape(name)}</h1>')
        for state, path in gallery.states:
            parts += [f"<h2>{escape(state)}</h2>", '<div class="views">']
            parts += [picture(f"{path}-{view}.png", view) for view in VIEWS]
            parts.append("</div>")
    return "\n".join(parts)


def picture(path: str, view: str) -> str:
    return f'<a href="{path}"><img src="{path}" alt="{view}" loading="lazy"></a>'


async def take(browser: Browser, script: str, folder: Path, prepared: Path) -> Gallery:
    """Play one script on a server of its own."""
    gallery = Gallery(script)
    with serving(folder / slug(script), prepared) as server:
        evening = Evening(browser, server)
        await PICTURED[script](evening, gallery.see)
        for person in evening.people:
            await person.page.context.close()
    return gallery


async def main() -> None:
    chromium = find_chromium()
    if chromium is None:
        sys.exit("The gallery needs Chromium: set CHROMIUM to one.")
    shutil.rmtree(FOLDER, ignore_errors=True)
    galleries: dict[str, Gallery] = {}
    with tempfile.TemporaryDirectory(prefix="blackjack-gallery-") as name:
        folder = Path(name)
        prepared = prepare(folder / "prepared")
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=chromium, args=browser_arguments()
            )
            for script in PICTURED:
                galleries[script] = await take(browser, script, folder, prepared)
                print(f"{script}: {len(galleries[script].states)} states", flush=True)
            await browser.close()
    (FOLDER / "index.html").write_text(index(galleries))
    for picture, path in README.items():
        shutil.copy(FOLDER / path, ROOT / "docs/pictures" / picture)
    print(f"Open {FOLDER / 'index.html'}")


if __name__ == "__main__":
    asyncio.run(main())
