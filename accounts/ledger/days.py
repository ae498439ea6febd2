"""The boundaries of a day (UTC), as a time and as a transfer id.

Ids and times may disagree by a moment, because several processes write: what was made first is not
always written first. An id that stands for a moment is found here and nowhere else, so that all
pages draw the line at the same place.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.db.models import BigIntegerField, F, Func, QuerySet, Subquery

from accounts.models import Account, Transfer

LONGEST_WRITE = dt.timedelta(minutes=1)
"""A transfer is in the database so soon after the moment that it names."""


def day_begins(day: dt.date) -> dt.datetime:
    """Midnight, UTC."""
    return dt.datetime.combine(day, dt.time.min, tzinfo=dt.UTC)


def day_ends(day: dt.date) -> dt.datetime:
    """The last moment of a day, UTC."""
    return dt.datetime.combine(day, dt.time.max, tzinfo=dt.UTC)


def first_id(moment: dt.datetime) -> int | None:
    """The smallest id of all transfers made at ``moment`` or later; ``None`` without any."""
    return first_ids([moment])[0]


def first_ids(moments: Sequence[dt.datetime]) -> list[int | None]:
    """The :func:`first_id` of each moment, in two statements however many there are."""
    by_time = Transfer.objects.order_by("at", "pk")
    times = look_up([by_time.filter(at__gte=moment).values("at")[:1] for moment in moments])
    # What was made later than that has been written after the first one.
    found = sorted({time for time in times if time is not None})
    near = Transfer.objects.order_by()
    ids = look_up(
        [_smallest(near.filter(at__gte=time, at__lt=time + LONGEST_WRITE)) for time in found]
    )
    first = dict(zip(found, ids, strict=True))
    return [None if time is None else first[time] for time in times]


def look_up(searches: Sequence[QuerySet[Any, Any]]) -> list[Any]:
    """The one value that each of these finds, or ``None``: all in one statement."""
    if not searches:
        return []
    found = {f"found_{number}": Subquery(search) for number, search in enumerate(searches)}
    # They have to hang on some row; there is always one bank.
    bank = Account.objects.filter(kind=Account.Kind.BANK).annotate(**found)
    return list(bank.values_list(*found).get())


def _smallest(transfers: QuerySet[Transfer]) -> QuerySet[Any, Any]:
    # The 0 keeps databases from trying one id after the other, from 1 on, until a time fits.
    smallest = Func(F("pk") + 0, function="MIN", output_field=BigIntegerField())
    return transfers.annotate(smallest=smallest).values("smallest")
