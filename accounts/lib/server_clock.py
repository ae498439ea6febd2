"""The server clock: all processes use the database's time.

A table's deadline means the same on every machine, because all of them read the clock of the
database. Between two reads they count with a monotonic clock, so that a change of the system clock
is noticed before it affects a deadline.
"""

from __future__ import annotations

import datetime as dt
import time
from typing import Final

from django.db import connection
from django.utils import timezone

LONGEST_LOOK: Final = 1.0
"""Seconds. A slower reading is ignored; a reading counts for the middle of its duration."""


class _Reading:
    """The last reading of the clock, and the monotonic counter at that time."""

    last: tuple[dt.datetime, float] | None = None


def now() -> dt.datetime:
    """The current time of the server clock."""
    if _Reading.last is None:
        return timezone.now()
    server_time, counted = _Reading.last
    return server_time + dt.timedelta(seconds=time.monotonic() - counted)


def measure() -> float:
    """Read the clock; return by how many seconds it was changed since the last reading.

    A change forward, or a sleep of the machine, is positive. Slow readings return 0. Raises
    ``OperationalError`` if the database is out of reach.
    """
    before = time.monotonic()
    server_time = _read_clock()
    after = time.monotonic()
    last, counted = _Reading.last, (before + after) / 2
    if last is not None and after - before > LONGEST_LOOK:
        return 0.0
    _Reading.last = server_time, counted
    if last is None:
        return 0.0
    return (server_time - last[0]).total_seconds() - (counted - last[1])


def reset() -> None:
    """Return to this machine's clock, when the database's is not read any more."""
    _Reading.last = None


def _read_clock() -> dt.datetime:
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        server_time: dt.datetime = cursor.fetchone()[0]
    return server_time
