"""Every state that a person can get to see, as scripts that stop at each.

A script is played with people in real browsers and calls ``see(state, person)`` wherever there is
something to look at. ``make gallery`` takes pictures there; ``test_states.py`` looks for faults.
"""

from __future__ import annotations

from tests.browser.states.friends import own_table
from tests.browser.states.operators import for_operators
from tests.browser.states.pages import for_players, for_visitors, missing
from tests.browser.states.tables import RULE_SETS

SCRIPTS = {
    "pages for visitors": for_visitors,
    "pages for players": for_players,
    "missing page": missing,
    "pages for operators": for_operators,
    **RULE_SETS,
    "a table of one's own": own_table,
}
