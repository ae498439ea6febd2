"""Watchers: pages at a table without a seat."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Final

from accounts.lib.sql.select import Select
from tables.models import Table, Visit
from tables.state.live_table import LiveTable

STALE = dt.timedelta(seconds=60)
"""The visits of a process that has not reported for this long do not count."""

MOST_NAMED: Final = 50
"""The limit of names of users who are present."""

_Row = tuple[int | None, str | None, int]

_visits: Select[_Row] = Select(
    lambda table_id, since: (
        Visit.objects.filter(table=table_id, seen_at__gt=since)
        .order_by("pk")
        .values_list("user", "user__username", "pages")
    )
)


def list_present_users(table: Table, now: dt.datetime) -> set[int]:
    """The users with an open page at the table, seated or not."""
    return {user for user, *_ in _visits(table.pk, now - STALE) if user is not None}


def send_present_names(table_id: int, now: dt.datetime) -> Callable[[], tuple[str, ...]]:
    """Read the names of the users with an open page; return a function for them, to be called after
    a pipeline.
    """
    get_rows = _visits.send(table_id, now - STALE)
    return lambda: _list_names(get_rows())


def list_present_names(table_id: int, now: dt.datetime) -> tuple[str, ...]:
    """The names of the users with an open page at the table, seated or not, the first ones first."""
    return _list_names(_visits(table_id, now - STALE))


def list_visited_tables(user_id: int) -> list[int]:
    """The ids of the tables where the user has a page open."""
    visits = Visit.objects.filter(user=user_id).order_by("table")
    return list(visits.values_list("table", flat=True).distinct())


def count_watchers(live: LiveTable) -> int:
    """The number of watchers with the current seats: users without a seat, and anonymous pages."""
    visits = _visits(live.row.pk, live.now - STALE)
    strangers = sum(pages for user, _, pages in visits if user is None)
    seated = {None, *(seat.user_id for seat in live.seats.values())}
    return strangers + len({user for user, *_ in visits} - seated)


def update_count(live: LiveTable) -> None:
    """Update the table's number of watchers after a seat was taken or freed."""
    if live.seats_taken or live.seats_freed:
        live.row.watchers = count_watchers(live)


def _list_names(rows: Iterable[_Row]) -> tuple[str, ...]:
    names = dict.fromkeys(name for _, name, _ in rows if name is not None)
    return tuple(names)[:MOST_NAMED]
