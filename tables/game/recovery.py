"""Recovery after an outage or a clock change: deadlines are extended."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import transaction

from tables.game import aborted_rounds, commit, seats, unreadable_state
from tables.protocol.events import ClockExtended
from tables.state.effects import ChangeNotice
from tables.state.live_table import LiveTable

OUTAGE: Final = dt.timedelta(seconds=5)
"""Nothing that takes longer than this is just slow."""
OUTAGE_CLOCK: Final = 20
"""Seconds that an open decision has at least after the server was away."""


def resume_after_outage(table_id: int, now: dt.datetime) -> tuple[ChangeNotice, ...]:
    """Go on after the server was away: time to decide again, and every seat is held anew.

    A round that nobody can go on with is broken off.
    """
    if changes := unreadable_state.reset_table(table_id, now):
        return changes
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        if extend_deadline(live):
            return (commit.commit_table(live),)
        for seat in live.seats_changed:
            seat.save(update_fields=["away_since", "idle_since"])
        return ()


def deadline_was_missed(live: LiveTable) -> bool:
    """Whether the table's deadline passed so long ago that nobody can have been there to see it."""
    deadline_at = live.row.deadline_at
    return deadline_at is not None and live.now - deadline_at > OUTAGE


def extend_deadline(live: LiveTable) -> bool:
    """Give time to decide again where it is short, or longer than any clock of this table; hold
    every seat anew; break off a round that waited for too long. Whether there is a change to write.
    """
    if aborted_rounds.abort_if_stale(live):
        return True
    seats.restart_absence_timers(live)
    if live.row.deadline_at is None:
        return False
    left = (live.row.deadline_at - live.now).total_seconds()
    longest = max(OUTAGE_CLOCK, live.row.betting_seconds, live.row.turn_seconds)
    if OUTAGE_CLOCK <= left <= longest + 1:  # as two looks at a clock may differ
        return False
    live.set_clock(OUTAGE_CLOCK)
    live.events.append(ClockExtended())
    return True
