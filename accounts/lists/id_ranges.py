"""Rows of a time, found by their ids: most times have no index.

Ids and times rise together, but for a few minutes: several processes write.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.db.models import Model, QuerySet
from django.db.models.functions import Coalesce

OUT_OF_ORDER: Final = dt.timedelta(minutes=5)
"""By how much ids and times may be out of order."""

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A range of times, both ends inclusive; empty ends do not limit."""

    since: dt.datetime | None = None
    until: dt.datetime | None = None

    @property
    def is_all(self) -> bool:
        """Whether it limits nothing."""
        return self.since is None and self.until is None

    def has(self, moment: dt.datetime) -> bool:
        """Whether the time is in the range."""
        is_late_enough = self.since is None or moment >= self.since
        return is_late_enough and (self.until is None or moment <= self.until)


ALL_TIMES: Final = TimeRange()


@dataclass(frozen=True, slots=True)
class IdRange:
    """A range of ids: ``first <= id < end``; empty ends do not limit."""

    first: int | None = None
    end: int | None = None


def find_ids(model: type[Model], column: str, times: TimeRange) -> IdRange:
    """The ids that may have a time of this range. Some rows at both ends may be outside of it."""
    first = end = None
    if times.since is not None:
        first = find_first_id(model, column, times.since - OUT_OF_ORDER)
    if times.until is not None:
        end = find_first_id(model, column, times.until + OUT_OF_ORDER)
    return IdRange(first, end)


def filter_ids(rows: QuerySet[Any, Any], ids: IdRange, key: str = "pk") -> QuerySet[Any, Any]:
    """The rows whose ``key`` is in the range."""
    if ids.first is not None:
        rows = rows.filter(**{f"{key}__gte": ids.first})
    return rows if ids.end is None else rows.filter(**{f"{key}__lt": ids.end})


def filter_times(rows: QuerySet[M], column: str, times: TimeRange) -> QuerySet[M]:
    """The rows whose time is in the range, by a range of ids, and exactly."""
    if times.is_all:
        return rows
    rows = filter_ids(rows, find_ids(rows.model, column, times))
    # A function of the column: no index of the time may take the place of that of the ids.
    exact: Any = rows.annotate(time_in_list=Coalesce(column, column))
    if times.since is not None:
        exact = exact.filter(time_in_list__gte=times.since)
    if times.until is not None:
        exact = exact.filter(time_in_list__lte=times.until)
    result: QuerySet[M] = exact
    return result


def find_first_id(model: type[Model], column: str, moment: dt.datetime) -> int:
    """The first id of the rows since ``moment``, by binary search."""
    rows = model._base_manager.order_by()
    newest = rows.order_by("-pk").values_list("pk", flat=True).first() or 0
    low, high = 1, newest + 1
    while low < high:
        middle = (low + high) // 2
        # The next existing one: ids have gaps.
        near = rows.filter(pk__gte=middle).order_by("pk")
        row = near.values_list("pk", column).first()
        if row is None or row[1] is None or row[1] >= moment:
            high = middle
        else:
            low = row[0] + 1
    return low
