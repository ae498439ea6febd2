"""axe-core finds nothing wrong with any page, nor any state of a round; texts stand out."""

from __future__ import annotations

import pytest

from tests.browser.axe import Inspector
from tests.browser.players import Evening
from tests.browser.states import SCRIPTS


@pytest.mark.parametrize("script", SCRIPTS)
async def test_axe_finds_nothing_wrong_and_texts_stand_out(evening: Evening, script: str) -> None:
    # axe is brought into the page as a script, which our policy forbids to everybody else.
    evening.context["bypass_csp"] = True
    inspector = Inspector(await evening.browser.new_page())
    await SCRIPTS[script](evening, inspector.see)
    assert inspector.looked
    assert not inspector.found, "\n".join(inspector.found)
