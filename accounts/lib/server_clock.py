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
"""Seconds. What the clock said is taken to have been said in the middle of a look at it."""


class _Seen:
    """What the clock said when it was last looked at, and what this machine's counter said then."""

    last: tuple[dt.datetime, float] | None = None


def now() -> dt.datetime:
    """What time it is."""
    if _Seen.last is None:
        return timezone.now()
    said, counted = _Seen.last
    return said + dt.timedelta(seconds=time.monotonic() - counted)


def measure() -> float:
    """Look at the clock, and say by how many seconds it was set since the last look.

    Forward is more than 0: so is a machine that slept. An answer that took long says nothing.
    Raises ``OperationalError`` when the database is out of reach.
    """
    before = time.monotonic()
    said = _ask()
    after = time.monotonic()
    last, counted = _Seen.last, (before + after) / 2
    if last is not None and after - before > LONGEST_LOOK:
        return 0.0
    _Seen.last = said, counted
    if last is None:
        return 0.0
    return (said - last[0]).total_seconds() - (counted - last[1])


def forget() -> None:
    """Go by this machine's own clock again: nobody looks at the database's any more."""
    _Seen.last = None


def _ask() -> dt.datetime:
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        said: dt.datetime = cursor.fetchone()[0]
    return said
