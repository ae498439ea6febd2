"""Whether text stands out from what is really behind it, measured in the picture of a page.

axe-core cannot tell wherever a gradient, a picture or another element lies behind a text, which is
nearly everywhere on the felt. Here the text is made invisible, the page is pictured, and each
text's colour is compared with the pixels that were left where it stands.
"""

from __future__ import annotations

import base64
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


async def faint_texts(page: Page, bench: Page) -> list[str]:
    """What does not reach WCAG's contrast (AA) in what can be seen now; ``bench`` does the sums."""
    judge = f"([picture, texts]) => {{ {FUNCTIONS} return findFaint(picture, texts); }}"
    faint: list[str] = []
    for _ in range(TRIES):
        texts = await _texts_of(page)
        hidden = await page.add_style_tag(content=HIDE)
        picture = base64.b64encode(await page.screenshot()).decode()
        await hidden.evaluate("tag => tag.remove()")
        faint = await bench.evaluate(judge, [picture, texts])
        if not faint and _places(await _texts_of(page)) == _places(texts):
            break
        await page.wait_for_timeout(SETTLING_MS)
    return faint


async def _texts_of(page: Page) -> list[dict[str, Any]]:
    texts: list[dict[str, Any]] = await page.evaluate(
        f"() => {{ {FUNCTIONS} return findTexts(); }}"
    )
    return texts


def _places(texts: list[dict[str, Any]]) -> list[tuple[str, float, float]]:
    """Where they lie. Their colours may still be on the way back from being hidden."""
    return [(text["words"], text["left"], text["top"]) for text in texts]
