"""Deadlines of tables, of decisions and of offers of seats: applied when they have passed, and
looked up.

The caller publishes the changes after the commit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from tables import metrics
from tables.game import commit, recovery, rounds, unreadable_state
from tables.models import QueueEntry, Seat, Table
from tables.state import waiting_line
from tables.state.effects import ChangeNotice
from tables.state.game_state import UnreadableState
from tables.state.live_table import LiveTable

GRACE = dt.timedelta(milliseconds=750)
"""A decision up to this late still counts. Browsers do not show it."""


def apply_deadline(table_id: int, now: dt.datetime) -> tuple[ChangeNotice, ...]:
    """Apply the table's deadline if it has passed; no effect if another process did.

    A deadline that the server missed is extended: the player was not late.
    """
    try:
        return _apply_if_overdue(table_id, now)
    except UnreadableState:
        return unreadable_state.reset_table(table_id, now)


def _apply_if_overdue(table_id: int, now: dt.datetime) -> tuple[ChangeNotice, ...]:
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        deadline_at = live.next_deadline
        if deadline_at is None or not is_overdue(live, now):
            return ()
        if recovery.deadline_was_missed(live):
            recovery.extend_deadline(live)
        else:
            waiting_line.end_offers(live, now - GRACE)
            if live.row.deadline_at is not None and live.row.deadline_at + GRACE <= now:
                rounds.apply_timeout(live)
        change = commit.commit_table(live)
    metrics.DEADLINE_LAG_SECONDS.observe((now - deadline_at).total_seconds())
    return (change,)


def list_timed_tables() -> list[int]:
    """The ids of the tables with an open decision, players in line, or a seat of an absent player."""
    absent_seats = Seat.objects.filter(away_since__isnull=False)
    timed = Q(deadline_at__isnull=False) | Q(pk__in=absent_seats.values("table"))
    waiting = QueueEntry.objects.order_by().values_list("table", flat=True)
    return sorted({*_filter_with_seats().filter(timed).values_list("pk", flat=True), *waiting})


def list_overdue_tables(now: dt.datetime, table_ids: Collection[int]) -> list[int]:
    """Those of these tables whose deadline has passed, by their ids."""
    tables = Table.objects.filter(pk__in=table_ids, deadline_at__lte=now - GRACE)
    offers = _filter_offers(now - GRACE).filter(table__in=table_ids)
    overdue = _earliest([*tables.values_list("pk", "deadline_at"), *offers])
    return sorted(overdue, key=lambda table_id: overdue[table_id])


def list_deadlines(until: dt.datetime) -> dict[int, dt.datetime]:
    """The deadlines of all tables until this time, by table id."""
    timed = _filter_with_seats().filter(deadline_at__lte=until).order_by()
    return _earliest([*timed.values_list("pk", "deadline_at"), *_filter_offers(until)])


def _filter_offers(until: dt.datetime) -> QuerySet[QueueEntry, tuple[int, dt.datetime | None]]:
    """Table ids and ends of the offers of seats until this time."""
    return QueueEntry.objects.filter(until__lte=until).order_by().values_list("table", "until")


def _earliest(deadlines: Iterable[tuple[int, dt.datetime | None]]) -> dict[int, dt.datetime]:
    """The first of the deadlines of each table."""
    first: dict[int, dt.datetime] = {}
    for pk, at in deadlines:
        if at is not None:
            first[pk] = min(at, first.get(pk, at))
    return first


def _filter_with_seats() -> QuerySet[Table]:
    """The tables with a taken seat: no other has an open decision. There is an index of taken seats, and
    none of deadlines, which each command would write.
    """
    return Table.objects.filter(pk__in=Seat.objects.order_by().values("table"))


# Late tables

LATE: Final = dt.timedelta(seconds=5)
"""A deadline this long past is an error: it should have been applied."""


def filter_in_play() -> QuerySet[Table]:
    """The tables with a round in play."""
    return Table.objects.filter(closed_at=None, phase=Table.Phase.PLAYING).order_by()


def build_late_condition(now: dt.datetime) -> Q:
    """The condition of :func:`is_late` as a query."""
    return Q(deadline_at__lte=now - LATE)


def is_late(row: Table, now: dt.datetime) -> bool:
    """Whether the table's deadline has passed for :data:`LATE` without being applied."""
    return row.deadline_at is not None and row.deadline_at <= now - LATE


def is_overdue(live: LiveTable, at: dt.datetime) -> bool:
    """Whether a deadline and :data:`GRACE` had passed at this time."""
    deadline_at = live.next_deadline
    return deadline_at is not None and deadline_at + GRACE <= at


def is_turn_overdue(live: LiveTable, at: dt.datetime) -> bool:
    """The same for the open decision alone."""
    deadline_at = live.row.deadline_at
    return deadline_at is not None and deadline_at + GRACE <= at
