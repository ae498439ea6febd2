"""Idle seats: freed after a time without a bet while the table waits for bets only."""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from tables.models import QueueEntry, Seat, Table
from tables.protocol.events import Reason
from tables.state import locking, sitting_out
from tables.state.live_table import LiveTable

LEAST = dt.timedelta(minutes=1)
"""The shortest time that the host of a private table may set."""


def get_allowed_time(row: Table) -> dt.timedelta | None:
    """How long a seat is kept without a bet; ``None`` for no limit."""
    if not row.is_private:
        return dt.timedelta(seconds=settings.IDLE_SEAT_SECONDS)
    return dt.timedelta(minutes=row.idle_minutes) if row.idle_minutes else None


def get_freeing_time(live: LiveTable, seat: Seat) -> dt.datetime | None:
    """When the seat is freed without a bet; ``None`` during a round, a running clock or a pause, and at
    the table of a match.
    """
    game, row = live.game, live.row
    if game.match is not None:
        return None
    if seat.idle_since is None or row.deadline_at or game.is_playing or game.bets or row.paused_at:
        return None
    limit = get_allowed_time(row)
    if limit is not None and seat.is_sitting_out and not live.queue:
        return None if seat.sat_out_since is None else seat.sat_out_since + sitting_out.LONGEST
    return None if limit is None else seat.idle_since + limit


def free_idle_seats(live: LiveTable) -> None:
    """Free the seats whose time is over; in maintenance restart the time instead."""
    due = [
        seat
        for seat in live.seats.values()
        if (at := get_freeing_time(live, seat)) is not None and at <= live.now
    ]
    if due and live.site.maintenance is not None:
        restart_timer(live)
        return
    for seat in due:
        live.free_seat(seat, Reason.SAT_OUT if seat.is_sitting_out else Reason.IDLE)


def restart_timer(live: LiveTable) -> None:
    """Restart the time to bet of all seats at the table."""
    for seat in live.seats.values():
        seat.idle_since = live.now
        live.store_seat(seat)


def restart_timer_of_sitting_out(live: LiveTable) -> None:
    """Restart the time to bet of players who sit out: others wait in line from now on."""
    for seat in live.seats.values():
        if seat.is_sitting_out:
            seat.idle_since = live.now
            live.store_seat(seat)


def restart_all_timers(now: dt.datetime) -> None:
    """The same at all tables, after an outage."""
    with transaction.atomic():
        locking.lock_tables(Seat.objects.order_by().values_list("table", flat=True).distinct())
        Seat.objects.update(idle_since=now)


def build_due_condition(now: dt.datetime) -> Q:
    """The query for seats that may have to be freed."""
    public = Q(
        table__is_private=False,
        idle_since__lte=now - dt.timedelta(seconds=settings.IDLE_SEAT_SECONDS),
    )
    private = Q(table__is_private=True, table__idle_minutes__gt=0, idle_since__lte=now - LEAST)
    waits = Q(table__phase=Table.Phase.BETTING, table__deadline_at=None, table__paused_at=None)
    may_sit_out = Q(is_sitting_out=True, sat_out_since__gt=now - sitting_out.LONGEST)
    in_line = Q(Exists(QueueEntry.objects.filter(table=OuterRef("table"))))
    return waits & (public | private) & (~may_sit_out | in_line)
