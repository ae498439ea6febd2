"""Recovery after an outage or a clock change: deadlines are extended."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import transaction

from tables import breaking_off, hosting, seating, unreadable
from tables.committed import Committed
from tables.live_table import LiveTable
from tables.table_events import ClockExtended

OUTAGE: Final = dt.timedelta(seconds=5)
"""Nothing that takes longer than this is just slow."""
OUTAGE_CLOCK: Final = 20
"""Seconds that an open decision has at least after the server was away."""


def resume(table_id: int, now: dt.datetime) -> tuple[Committed, ...]:
    """Go on after the server was away: time to decide again, and every seat is held anew.

    A round that nobody can go on with is broken off.
    """
    if changes := unreadable.break_off(table_id, now):
        return changes
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        if go_on(live):
            return (hosting.write(live),)
        for seat in live.seats_changed:
            seat.save(update_fields=["away_since", "idle_since"])
        return ()


def was_missed(live: LiveTable) -> bool:
    """Whether the table's deadline passed so long ago that nobody can have been there to see it."""
    deadline_at = live.row.deadline_at
    return deadline_at is not None and live.now - deadline_at > OUTAGE


def go_on(live: LiveTable) -> bool:
    """Give time to decide again where it is short, or longer than any clock of this table; hold
    every seat anew; break off a round that waited for too long. Whether there is a change to write.
    """
    if breaking_off.if_too_old(live):
        return True
    seating.hold_anew(live)
    if live.row.deadline_at is None:
        return False
    left = (live.row.deadline_at - live.now).total_seconds()
    longest = max(OUTAGE_CLOCK, live.row.betting_seconds, live.row.turn_seconds)
    if OUTAGE_CLOCK <= left <= longest + 1:  # as two looks at a clock may differ
        return False
    live.set_clock(OUTAGE_CLOCK)
    live.events.append(ClockExtended())
    return True
