"""Search of the audit log, a page at a time, newest first."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.ledger import days
from accounts.lib import pagination
from accounts.models import Act
from tables.operators.audit_log import text
from tables.operators.audit_log.text import RowNames

PAGE = 50
OUT_OF_ORDER = dt.timedelta(minutes=5)
"""With several processes, ids and times of entries may be out of order by up to this much."""


@dataclass(frozen=True, slots=True)
class AuditLogFilters:
    """The search filter. Fields that are ``None`` or empty do not filter."""

    by: int | None = None
    what: str = ""
    subject: str = ""
    day: dt.date | None = None
    """A day in ``zone``."""
    zone: dt.tzinfo = dt.UTC
    """The zone of the viewer."""


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """One changed value of an entry."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AuditLogEntry:
    """An entry of the audit log in words."""

    act: Act
    name: str
    """The name of the subject's row; empty without one."""
    changed: tuple[ChangedValue, ...]


@dataclass(frozen=True, slots=True)
class AuditLogPage:
    """A page of the audit log."""

    entries: tuple[AuditLogEntry, ...]
    older_than: int | None
    """The ids of the next page are below this; ``None`` on the last."""


def list_entries(filters: AuditLogFilters, *, before: int | None = None) -> AuditLogPage:
    """:data:`PAGE` acts below the id ``before``, or the newest ones."""
    told, older = pagination.first_page(filter_entries(filters), PAGE, before)
    names = text.load_row_names(told)
    entries = tuple(
        AuditLogEntry(act, names.format_subject(act.subject), _list_changed_values(act, names))
        for act in told
    )
    return AuditLogPage(entries, older)


def filter_entries(filters: AuditLogFilters) -> QuerySet[Act]:
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
            pk__gte=_find_first_id(begins - OUT_OF_ORDER), pk__lt=_find_first_id(ends + OUT_OF_ORDER),
            at__gte=begins, at__lte=ends,
        )  # fmt: skip
    return acts


def _find_first_id(moment: dt.datetime) -> int:
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


def _list_changed_values(act: Act, names: RowNames) -> tuple[ChangedValue, ...]:
    if act.what == Act.What.NOTE:
        return ()  # Nothing was changed: ``after`` only identifies the form.
    before, after = act.before or {}, act.after or {}
    return tuple(
        ChangedValue(
            text.get_label(name),
            names.format_value(name, before.get(name)),
            names.format_value(name, after.get(name)),
        )
        for name in dict.fromkeys([*before, *after])
        if name not in before or before.get(name) != after.get(name)
    )
