"""Recovery after an outage or a clock change: deadlines are extended."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import transaction

from tables.game import aborted_rounds, commit, seats, unreadable_state
from tables.protocol.events import ClockExtended
from tables.state import time_banks, waiting_line
from tables.state.effects import ChangeNotice
from tables.state.live_table import LiveTable

OUTAGE: Final = dt.timedelta(seconds=5)
"""A deadline this long past counts as missed by the server."""
OUTAGE_CLOCK: Final = 20
"""Seconds that an open decision has at least after an outage."""


def resume_after_outage(table_id: int, now: dt.datetime) -> tuple[ChangeNotice, ...]:
    """Resume a table after an outage: extend the deadline and restart the absence timers.

    A round that cannot continue is aborted.
    """
    if changes := unreadable_state.reset_table(table_id, now):
        return changes
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        if extend_deadline(live):
            return (commit.commit_table(live),)
        for seat in live.seats_changed.values():
            seat.save(update_fields=["away_since", "idle_since"])
        return ()


def deadline_was_missed(live: LiveTable) -> bool:
    """Whether a deadline of the table passed so long ago that the server must have missed it."""
    deadline_at = live.next_deadline
    return deadline_at is not None and live.now - deadline_at > OUTAGE


def extend_deadline(live: LiveTable) -> bool:
    """Correct implausible deadlines and abort a stale round. Returns whether there is a change."""
    is_offer_extended = waiting_line.extend_offers(live)
    if aborted_rounds.abort_if_stale(live):
        return True
    seats.restart_absence_timers(live)
    if live.row.deadline_at is None:
        return is_offer_extended
    remaining = (live.row.deadline_at - live.now).total_seconds()
    longest = max(OUTAGE_CLOCK, live.row.betting_seconds, live.row.turn_seconds)
    if live.game.bank_since is not None:
        longest = max(longest, time_banks.get_most(live) // 1_000)
    if OUTAGE_CLOCK <= remaining <= longest + 1:  # two readings of a clock may differ
        return is_offer_extended
    time_banks.restart_bank(live)
    live.set_clock(OUTAGE_CLOCK)
    live.events.append(ClockExtended())
    return True
