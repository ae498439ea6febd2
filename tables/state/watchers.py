"""Watchers: pages at a table without a seat."""

from __future__ import annotations

import datetime as dt

from django.db.models import Sum

from tables.models import Table
from tables.state.live_table import LiveTable

STALE = dt.timedelta(seconds=60)
"""The visits of a process that has not reported for this long do not count."""


def users_at(table: Table, now: dt.datetime) -> set[int]:
    """The users with an open page at the table, seated or not."""
    visits = table.visits.filter(seen_at__gt=now - STALE, user__isnull=False)
    return set(visits.values_list("user", flat=True))


def count(live: LiveTable) -> int:
    """The number of watchers with the current seats: users without a seat, and anonymous pages."""
    strangers = live.row.visits.filter(seen_at__gt=live.now - STALE, user__isnull=True)
    number: int = strangers.aggregate(pages=Sum("pages", default=0))["pages"]
    seated = {seat.user_id for seat in live.seats.values()}
    return number + len(users_at(live.row, live.now) - seated)


def update_count(live: LiveTable) -> None:
    """Update the table's number of watchers after a seat was taken or freed."""
    if live.seats_taken or live.seats_freed:
        live.row.watchers = count(live)
