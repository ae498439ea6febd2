"""Reminders of the time played, for players who asked for them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from accounts.users import limits
from tables.models import Seat
from tables.protocol.frames import Reminder


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A seat with a due reminder."""

    seat_id: int
    table_id: int
    user_id: int
    reminded_at: dt.datetime | None
    """The time of the previous reminder for this seat."""
    reminder: Reminder


def list_due(now: dt.datetime) -> list[DueReminder]:
    """The seats with an open page whose reminder is due."""
    seats = list(Seat.objects.filter(user__has_own_limits=True, away_since=None))
    minutes = limits.load_reminder_minutes({seat.user_id for seat in seats}, now)
    return [
        _build_due(seat, now)
        for seat in seats
        if seat.user_id in minutes
        and (seat.reminded_at or seat.sat_at) + dt.timedelta(minutes=minutes[seat.user_id]) <= now
    ]


def claim(due_seat: DueReminder, now: dt.datetime) -> bool:
    """Claim a reminder; only one of several processes gets true."""
    seats = Seat.objects.filter(pk=due_seat.seat_id, reminded_at=due_seat.reminded_at)
    return seats.update(reminded_at=now) == 1


def _build_due(seat: Seat, now: dt.datetime) -> DueReminder:
    minutes = int((now - seat.sat_at).total_seconds()) // 60
    reminder = Reminder(seat.table_id, minutes, seat.net)
    return DueReminder(seat.pk, seat.table_id, seat.user_id, seat.reminded_at, reminder)
