"""Racks: automatic fills from the bank, and the chips that matching needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from tables.engine.errors import Text
from tables.engine.rules import Ruleset
from tables.state.live_table import LiveTable

WAITS: Final = str(Text("The dealer is out of chips. The table continues after a refill."))
"""Stored in English, and shown to players when the rack has reached its limit of automatic fills."""


def top_up_if_low(live: LiveTable, *, has_new_rules: bool = False) -> bool:
    """Add a fill if the rack cannot cover the winnings of this change.

    A rack that matches bets is filled after a round that left less than the smallest bets of a
    full table, or when new rules raise that amount. Winnings are always paid. Returns true if the
    rack is over its limit of automatic fills, so that the table must wait for an operator; a
    closed table never waits.
    """
    lacking = _missing_amount(live, has_new_rules=has_new_rules)
    if lacking <= 0:
        return False
    row, chips = live.row, round_up_to_fills(lacking)
    reference = f"table:{row.pk}/change:{row.seq + 1}/fill"
    fill = transfers.rack_fill(row.rack_id, chips, reference)
    live.movements.append(replace(fill, is_automatic=True))
    row.auto_filled += chips
    is_used_up = row.fill_limit is not None and row.auto_filled > row.fill_limit
    return is_used_up and row.closed_at is None


def _missing_amount(live: LiveTable, *, has_new_rules: bool) -> int:
    """How many hundredths the rack lacks; 0 if it has enough."""
    if live.rules.is_matched:
        # A round has ended, perhaps with the bet that dealt it.
        if live.settled_hands or has_new_rules:
            least = get_minimum_for_matching(live.rules) if live.row.closed_at is None else 0
            return least - live.rack_balance
        return 0
    if not live.rack_paid:
        return 0
    return live.rack_paid - (live.rack_balance - live.rack_settled)


def fill_manually(live: LiveTable, movement: Posting) -> None:
    """Post an operator's fill of the rack, and reset the count of automatic fills."""
    live.movements.append(movement)
    live.row.auto_filled = 0


# The size of fills

RACK_FILL = 1_000_000
"""The rack is filled from the bank in steps of this many hundredths, when it runs low. Where the
dealer matches the stakes, its account is opened with as many of them as its bets need."""


def round_up_to_fills(lacking: int) -> int:
    """The amount of the fills for a rack that lacks this many hundredths."""
    return -(-lacking // RACK_FILL) * RACK_FILL


def get_minimum_for_matching(rules: Ruleset) -> int:
    """The smallest bets of a full table: what a rack that matches bets needs for a round."""
    assert rules.stakes is not None
    return rules.seats * rules.stakes.minimum
