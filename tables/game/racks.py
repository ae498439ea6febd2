"""Racks: automatic fills from the bank, and the chips that matching needs."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from tables.engine.rules import Ruleset
from tables.state.live_table import LiveTable

WAITS: Final = _("The house is bringing the dealer more chips; then the table goes on.")
"""What the players are told when the rack has taken all that it may."""


def top_up_if_low(live: LiveTable, *, has_new_rules: bool = False) -> bool:
    """Put a fill first if the rack could not match all that it has to.

    A rack that matches bets is the dealer's own account: it may run low, and is filled again
    after a round that left it with less than the smallest bets of a full table, or when that
    became more. What is won is paid in any case; true when the rack has now taken more than it
    may by itself, so that the table has to wait for an operator. A table that has closed
    only pays, and waits for nobody.
    """
    lacking = _lacking(live, has_new_rules=has_new_rules)
    if lacking <= 0:
        return False
    row, chips = live.row, rounded_up_to_fills(lacking)
    reference = f"table:{row.pk}/change:{row.seq + 1}/fill"
    live.movements.insert(0, transfers.rack_fill(row.rack_id, chips, reference))
    row.auto_filled += chips
    is_used_up = row.fill_limit is not None and row.auto_filled > row.fill_limit
    return is_used_up and row.closed_at is None


def _lacking(live: LiveTable, *, has_new_rules: bool) -> int:
    """How many hundredths the rack is short of, or nothing; never more for being rich."""
    if live.rules.is_matched:
        # A round has ended, perhaps with the bet that dealt it.
        if live.settled_hands or has_new_rules:
            least = minimum_for_matching(live.rules) if live.row.closed_at is None else 0
            return least - live.rack_balance
        return 0
    matched = sum(m.amount for m in live.movements if m.debit == live.row.rack_id)
    return matched - live.rack.balance if matched else 0


def fill_by_hand(live: LiveTable, movement: Posting) -> None:
    """Bring the rack what an operator gives it. From here on it is counted anew."""
    live.movements.append(movement)
    live.row.auto_filled = 0


# The size of fills

RACK_FILL = 1_000_000
"""The rack is filled from the bank in steps of this many hundredths, when it runs low. Where the
dealer matches the stakes, its account is opened with as many of them as its bets need."""


def rounded_up_to_fills(lacking: int) -> int:
    """What a rack that lacks so many hundredths is given."""
    return -(-lacking // RACK_FILL) * RACK_FILL


def minimum_for_matching(rules: Ruleset) -> int:
    """The smallest bets of a full table: what a dealer who matches bets must have for a round."""
    assert rules.stakes is not None
    return rules.seats * rules.stakes.minimum
