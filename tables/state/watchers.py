"""Watchers: pages at a table without a seat."""

from __future__ import annotations

import datetime as dt

from accounts.lib.sql.select import Select
from tables.models import Table, Visit
from tables.state.live_table import LiveTable

STALE = dt.timedelta(seconds=60)
"""The visits of a process that has not reported for this long do not count."""

_visits: Select[tuple[int | None, int]] = Select(
    lambda table_id, since: Visit.objects.filter(table=table_id, seen_at__gt=since).values_list(
        "user", "pages"
    )
)


def list_present_users(table: Table, now: dt.datetime) -> set[int]:
    """The users with an open page at the table, seated or not."""
    return {user for user, _ in _visits(table.pk, now - STALE) if user is not None}


def count_watchers(live: LiveTable) -> int:
    """The number of watchers with the current seats: users without a seat, and anonymous pages."""
    visits = _visits(live.row.pk, live.now - STALE)
    strangers = sum(pages for user, pages in visits if user is None)
    seated = {None, *(seat.user_id for seat in live.seats.values())}
    return strangers + len({user for user, _ in visits} - seated)


def update_count(live: LiveTable) -> None:
    """Update the table's number of watchers after a seat was taken or freed."""
    if live.seats_taken or live.seats_freed:
        live.row.watchers = count_watchers(live)
