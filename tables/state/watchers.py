"""Watchers: pages at a table without a seat."""

from __future__ import annotations

import datetime as dt

from django.db.models import Sum

from tables.models import Table
from tables.state.live_table import LiveTable

STALE = dt.timedelta(seconds=60)
"""A process that has not said so for this long does not run any more, and nor do its pages."""


def users_at(table: Table, now: dt.datetime) -> set[int]:
    """Who has a page open at the table, with a seat or without."""
    visits = table.visits.filter(seen_at__gt=now - STALE, user__isnull=False)
    return set(visits.values_list("user", flat=True))


def count(live: LiveTable) -> int:
    """How many look on, as the seats are now: those who play here, and pages of nobody."""
    strangers = live.row.visits.filter(seen_at__gt=live.now - STALE, user__isnull=True)
    number: int = strangers.aggregate(pages=Sum("pages", default=0))["pages"]
    seated = {seat.user_id for seat in live.seats.values()}
    return number + len(users_at(live.row, live.now) - seated)


def update_count(live: LiveTable) -> None:
    """Have the table say how many look on after somebody has sat down or got up."""
    if live.seats_taken or live.seats_freed:
        live.row.watchers = count(live)
