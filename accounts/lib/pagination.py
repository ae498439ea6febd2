"""Keyset pagination of long lists."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)


def first_page(
    rows: QuerySet[M], size: int, before: int | None = None
) -> tuple[list[M], int | None]:
    """The first ``size`` of ``rows``, and the id of the last of them if there are more.

    With ``before`` only rows with smaller ids. The ids are read first: with joins, a query planner
    may start at a small table and sort a million rows for a page.
    """
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows.values_list("pk", flat=True)[: size + 1])
    ids = found[:size]
    return list(rows.filter(pk__in=ids)), ids[-1] if len(found) > size else None
