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
"""With several processes, ids and times of entries may be out of order by up to this much."""


@dataclass(frozen=True, slots=True)
class Filters:
    """The search filter. Fields that are ``None`` or empty do not filter."""

    by: int | None = None
    what: str = ""
    subject: str = ""
    day: dt.date | None = None
    """A day in ``zone``."""
    zone: dt.tzinfo = dt.UTC
    """The zone of the viewer."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One changed value of an entry."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the audit log in words."""

    act: Act
    name: str
    """The name of the subject's row; empty without one."""
    changed: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the audit log."""

    entries: tuple[Entry, ...]
    older_than: int | None
    """The ids of the next page are below this; ``None`` on the last."""


def page_of(filters: Filters, *, before: int | None = None) -> Page:
    """:data:`PAGE` acts below the id ``before``, or the newest ones."""
    told, older = pagination.first_page(chosen(filters), PAGE, before)
    names = text.called(told)
    entries = tuple(Entry(act, names.row(act.subject), _changed(act, names)) for act in told)
    return Page(entries, older)


def chosen(filters: Filters) -> QuerySet[Act]:
    """The entries that match the filters, newest first."""
    acts = Act.objects.select_related("by").order_by("-pk")
    if filters.by is not None:
        acts = acts.filter(by=filters.by)
    if filters.what:
        acts = acts.filter(what=filters.what)
    if filters.subject:
        acts = acts.filter(subject=filters.subject)
    if filters.day is not None:
        begins, ends = (of(filters.day, filters.zone) for of in (days.day_begins, days.day_ends))
        acts = acts.filter(
            pk__gte=_first_id(begins - OUT_OF_ORDER), pk__lt=_first_id(ends + OUT_OF_ORDER),
            at__gte=begins, at__lte=ends,
        )  # fmt: skip
    return acts


def _first_id(moment: dt.datetime) -> int:
    """The first id of the entries since ``moment``, by binary search: times have no index."""
    newest = Act.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    low, high = 1, newest + 1
    while low < high:
        middle = (low + high) // 2
        # The next existing one: ids have gaps.
        found = Act.objects.filter(pk__gte=middle).order_by("pk").values_list("pk", "at").first()
        if found is None or found[1] >= moment:
            high = middle
        else:
            low = found[0] + 1
    return low


def _changed(act: Act, names: Called) -> tuple[Changed, ...]:
    if act.what == Act.What.NOTE:
        return ()  # Nothing was changed: ``after`` only identifies the form.
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
