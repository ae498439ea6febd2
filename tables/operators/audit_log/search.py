"""Search of the audit log, a page at a time, newest first."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.lib import pagination
from accounts.lists.id_ranges import ALL_TIMES, TimeRange, filter_times
from accounts.models import Act
from tables.operators.audit_log import text
from tables.operators.audit_log.text import RowNames

PAGE = 50


@dataclass(frozen=True, slots=True)
class AuditLogFilters:
    """The search filter. Fields that are ``None`` or empty do not filter."""

    by: int | None = None
    what: str = ""
    subject: str = ""
    times: TimeRange = ALL_TIMES


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


def list_entries(
    filters: AuditLogFilters, *, before: int | None = None, size: int = PAGE
) -> AuditLogPage:
    """``size`` acts below the id ``before``, or the newest ones."""
    acts, older = pagination.first_page(filter_entries(filters), size, before)
    names = text.load_row_names(acts)
    entries = tuple(
        AuditLogEntry(act, names.format_subject(act.subject), _list_changed_values(act, names))
        for act in acts
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
    return filter_times(acts, "at", filters.times)


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
