"""How much a table's rack is given at a time, and how much it has to hold."""

from __future__ import annotations

from tables.engine.rules import Ruleset

RACK_FILL = 1_000_000
"""The rack is filled from the bank in steps of this many hundredths, when it runs low. Where the
dealer matches the stakes, its account is opened with as many of them as its bets need."""


def whole_fills(lacking: int) -> int:
    """What a rack that lacks so many hundredths is given."""
    return -(-lacking // RACK_FILL) * RACK_FILL


def least_to_match(rules: Ruleset) -> int:
    """The smallest bets of a full table: what a dealer who matches bets must have for a round."""
    assert rules.stakes is not None
    return rules.seats * rules.stakes.minimum
