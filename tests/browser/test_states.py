"""Every state of every page: axe-core finds nothing wrong, texts stand out, and a table's page is one
frame, in which all that is needed is in sight and keeps its place. An amount of money stands on one
line, and text of twice its size is whole.
"""

from __future__ import annotations

import pytest

from tests.browser.axe import Inspector
from tests.browser.frame import Frame
from tests.browser.large_text import LargeText
from tests.browser.money_lines import MoneyLines
from tests.browser.players import Evening, Person
from tests.browser.states import SCRIPTS
from tests.browser.states.tables import RULE_SETS

AT_A_TABLE = {*RULE_SETS, "a table of one's own"}
WITH_AMOUNTS = {
    "pages for players": None,
    "pages for operators": None,
    "casino": {"seated", "my turn", "won and lost"},
}
"""The states that show amounts; ``None``: all of them."""
WITH_LARGE_TEXT = {"vegas", "classic", "piles"}


@pytest.mark.long(seconds=35)
@pytest.mark.parametrize("script", SCRIPTS)
async def test_every_state_can_be_read_and_used_by_everybody(evening: Evening, script: str) -> None:
    # axe is brought into the page as a script, which our policy forbids to everybody else.
    evening.context["bypass_csp"] = True
    inspector, frame = Inspector(await evening.browser.new_page()), Frame()
    money, large = MoneyLines(WITH_AMOUNTS.get(script, set())), LargeText()

    async def see(state: str, person: Person) -> None:
        await frame.see(state, person)
        await money.see(state, person)
        await inspector.see(state, person)
        if script in WITH_LARGE_TEXT:
            await large.see(state, person)

    await SCRIPTS[script](evening, see)
    assert inspector.looked
    assert (frame.looked > 0) == (script in AT_A_TABLE)
    assert (money.looked > 2) == (script in WITH_AMOUNTS)
    assert (large.looked > 3) == (script in WITH_LARGE_TEXT)
    faults = frame.faults + money.faults + inspector.faults + large.faults
    assert not faults, "\n".join(faults)
