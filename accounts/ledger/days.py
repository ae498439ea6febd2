"""The boundaries of a day, as a time and as a transfer id.

A day is one of the calendar in a time zone; the days of accounting are in ``gaming_days``. Ids and times
may be slightly out of order, because several processes write. The id of a moment is computed only here,
so that all pages use the same boundary.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.db.models import BigIntegerField, F, Func, QuerySet, Subquery

from accounts.models import Account, Transfer

LONGEST_WRITE = dt.timedelta(minutes=1)
"""The longest delay between the time of a transfer and its commit."""


def day_begins(day: dt.date, zone: dt.tzinfo = dt.UTC) -> dt.datetime:
    """Midnight at the begin of a day in this zone, in UTC."""
    return _in_utc(dt.datetime.combine(day, dt.time.min, tzinfo=zone))


def day_ends(day: dt.date, zone: dt.tzinfo = dt.UTC) -> dt.datetime:
    """The last moment of a day in this zone, in UTC."""
    return _in_utc(dt.datetime.combine(day, dt.time.max, tzinfo=zone))


def _in_utc(moment: dt.datetime) -> dt.datetime:
    try:
        return moment.astimezone(dt.UTC)
    except OverflowError:  # the first or last day that there is
        return moment.replace(tzinfo=dt.UTC)


def find_first_id(moment: dt.datetime) -> int | None:
    """The smallest id of the transfers at ``moment`` or later; ``None`` if there are none."""
    return find_first_ids([moment])[0]


def find_first_ids(moments: Sequence[dt.datetime]) -> list[int | None]:
    """The :func:`find_first_id` of each moment, in two statements."""
    by_time = Transfer.objects.order_by("at", "pk")
    times = read_first([by_time.filter(at__gte=moment).values("at")[:1] for moment in moments])
    # Later transfers were written after the first one.
    unique_times = sorted({time for time in times if time is not None})
    near = Transfer.objects.order_by()
    ids = read_first(
        [
            _select_id(near.filter(at__gte=time, at__lt=time + LONGEST_WRITE))
            for time in unique_times
        ]
    )
    first = dict(zip(unique_times, ids, strict=True))
    return [None if time is None else first[time] for time in times]


def read_first(searches: Sequence[QuerySet[Any, Any]]) -> list[Any]:
    """The first value of each query, or ``None``, in one statement."""
    if not searches:
        return []
    subqueries = {f"found_{number}": Subquery(search) for number, search in enumerate(searches)}
    # Subqueries need a row; there is always exactly one bank.
    bank = Account.objects.filter(kind=Account.Kind.BANK).annotate(**subqueries)
    return list(bank.values_list(*subqueries).get())


def _select_id(transfers: QuerySet[Transfer]) -> QuerySet[Any, Any]:
    # The 0 prevents a scan by id from 1 on until a time matches.
    smallest = Func(F("pk") + 0, function="MIN", output_field=BigIntegerField())
    return transfers.annotate(smallest=smallest).values("smallest")
