"""Whether text stands out from what is really behind it, measured in the picture of a page.

axe-core cannot tell wherever a gradient, a picture or another element lies behind a text, which is
nearly everywhere on the felt. Here the text is made invisible, the page is pictured, and each
text's colour is compared with the pixels that were left where it stands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import Page

HIDE = """
*, *::before, *::after, ::placeholder {
  color: transparent !important; -webkit-text-fill-color: transparent !important;
  text-shadow: none !important; transition: none !important;
}
svg text { fill: transparent !important; }
"""

TRIES = 10
"""So often a page that moves meanwhile is pictured: a text is judged on its own ground, and what
was caught on the way from one look to the next stands out in the end.
"""
SETTLING_MS = 300

FUNCTIONS = Path(__file__).with_suffix(".js").read_text()


def _calling(call: str) -> str:
    """A function for a page, with an argument that the call names ``given``."""
    return f"given => {{ {FUNCTIONS} return {call}; }}"


FIND_AND_HIDE = _calling("findAndHide(given)")
SHOW_AND_FIND = _calling("showAndFind()")
FIND_FAINT = _calling("findFaint(given)")


async def faint_texts(page: Page, bench: Page) -> list[str]:
    """What does not reach WCAG's contrast (AA) in what can be seen now; ``bench`` does the sums."""
    camera = await page.context.new_cdp_session(page)
    faint: list[str] = []
    for _ in range(TRIES):
        texts: list[dict[str, Any]] = await page.evaluate(FIND_AND_HIDE, HIDE)
        # Playwright's own screenshots are the same, and take long to be compressed.
        screenshot = await camera.send("Page.captureScreenshot", {"optimizeForSpeed": True})
        after: list[dict[str, Any]] = await page.evaluate(SHOW_AND_FIND)
        faint = await bench.evaluate(FIND_FAINT, {"picture": screenshot["data"], "texts": texts})
        if not faint and _places(after) == _places(texts):
            break
        await page.wait_for_timeout(SETTLING_MS)
    await camera.detach()
    return faint


def _places(texts: list[dict[str, Any]]) -> list[tuple[str, float, float]]:
    """Where they lie. Their colours may still be on the way back from being hidden, and what
    counts seconds goes on.
    """
    return [(text["name"], text["left"], text["top"]) for text in texts]
