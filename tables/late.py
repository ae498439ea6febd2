"""Which rounds are played, and whose clock hangs: counted alike on the floor and in the metrics."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db.models import Q, QuerySet

from tables.models import Table

LATE: Final = dt.timedelta(seconds=5)
"""A deadline that has passed for so long should have been applied: something hangs."""


def in_play() -> QuerySet[Table]:
    """The tables at which a round is being played."""
    return Table.objects.filter(closed_at=None, phase=Table.Phase.PLAYING).order_by()


def overdue(now: dt.datetime) -> Q:
    """What holds for a table that :func:`is_overdue`."""
    return Q(deadline_at__lte=now - LATE)


def is_overdue(row: Table, now: dt.datetime) -> bool:
    """Whether the table's clock has run out and nothing happens."""
    return row.deadline_at is not None and row.deadline_at <= now - LATE
