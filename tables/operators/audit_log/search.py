"""Search of the audit log, a page at a time, newest first."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.ledger import days
from accounts.lib import pagination
from accounts.models import Act
from tables.operators.audit_log import text
from tables.operators.audit_log.text import Called

PAGE = 50
OUT_OF_ORDER = dt.timedelta(minutes=5)
"""Several processes write: an act may be written so long before one that names an earlier time."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What is looked for. Everything that is ``None`` or empty is not asked about."""

    by: int | None = None
    what: str = ""
    subject: str = ""
    day: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """One thing that an act changed."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An act, ready to be read."""

    act: Act
    name: str
    """What the row is called that it was done to; empty where that has no name."""
    changed: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the trail."""

    entries: tuple[Entry, ...]
    older_than: int | None
    """The id before which the next page begins; ``None`` on the last."""


def page_of(filters: Filters, *, before: int | None = None) -> Page:
    """:data:`PAGE` acts below the id ``before``, or the newest ones."""
    told, older = pagination.first_page(chosen(filters), PAGE, before)
    names = text.called(told)
    entries = tuple(Entry(act, names.row(act.subject), _changed(act, names)) for act in told)
    return Page(entries, older)


def chosen(filters: Filters) -> QuerySet[Act]:
    """The acts that the filters let through, newest first."""
    acts = Act.objects.select_related("by").order_by("-pk")
    if filters.by is not None:
        acts = acts.filter(by=filters.by)
    if filters.what:
        acts = acts.filter(what=filters.what)
    if filters.subject:
        acts = acts.filter(subject=filters.subject)
    if filters.day is not None:
        begins, ends = days.day_begins(filters.day), days.day_ends(filters.day)
        acts = acts.filter(
            pk__gte=_first_id(begins - OUT_OF_ORDER), pk__lt=_first_id(ends + OUT_OF_ORDER),
            at__gte=begins, at__lte=ends,
        )  # fmt: skip
    return acts


def _first_id(moment: dt.datetime) -> int:
    """Where among the ids the acts from ``moment`` on begin. Times have no index of their own:
    the middle is looked at, and then the middle of one half, until one is left.
    """
    newest = Act.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    low, high = 1, newest + 1
    while low < high:
        middle = (low + high) // 2
        # The next one that there is: ids have gaps.
        found = Act.objects.filter(pk__gte=middle).order_by("pk").values_list("pk", "at").first()
        if found is None or found[1] >= moment:
            high = middle
        else:
            low = found[0] + 1
    return low


def _changed(act: Act, names: Called) -> tuple[Changed, ...]:
    if act.what == Act.What.NOTE:
        return ()  # Nothing was changed: what is kept with it tells its form from others.
    before, after = act.before or {}, act.after or {}
    return tuple(
        Changed(
            text.label(name),
            names.value(name, before.get(name)),
            names.value(name, after.get(name)),
        )
        for name in dict.fromkeys([*before, *after])
        if name not in before or before.get(name) != after.get(name)
    )
