"""The list of tables, newest first, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.lib.pagination import first_page
from accounts.lists.id_ranges import ALL_TIMES, TimeRange
from accounts.models import User
from tables.models import Seat, Table
from tables.operators.floor.overview import describe_state
from tables.texts import rules

PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class TableListFilters:
    """The filter of tables. Empty fields do not filter, but for the state: open tables."""

    state: str = ""
    rules: str = ""
    name: str = ""
    """A part of the name."""
    table: int | None = None
    host: User | None = None
    used: TimeRange = ALL_TIMES


@dataclass(frozen=True, slots=True)
class TableListRow:
    """A table and its differences from the rule set."""

    table: Table
    taken: int
    differences: str
    state: str


@dataclass(frozen=True, slots=True)
class TableListPage:
    """A page of tables, and the id of the last one if there are older ones."""

    entries: list[TableListRow]
    older: int | None


def list_tables(
    filters: TableListFilters, before: int | None = None, size: int = PAGE
) -> TableListPage:
    """The newest tables that match the filters, with ids below ``before``."""
    tables, older = first_page(filter_tables(filters), size, before)
    return TableListPage([_build_row(table) for table in tables], older)


def filter_tables(filters: TableListFilters) -> QuerySet[Table]:
    """The tables that match the filters, without their private state."""
    tables = Table.objects.defer("state").select_related("maker", "rack").order_by("-pk")
    seats = Seat.objects.filter(table=OuterRef("pk")).order_by().values("table")
    counts = seats.annotate(number=Count("pk")).values("number")
    tables = tables.annotate(taken=Coalesce(Subquery(counts), 0))
    match filters.state:
        case "closed":
            tables = tables.filter(closed_at__isnull=False)
        case "all":
            pass
        case "paused":
            tables = tables.filter(closed_at__isnull=True, paused_at__isnull=False)
        case "empty":
            tables = filter_out_of_chips(tables)
        case "changing":
            tables = tables.filter(closed_at__isnull=True, coming__isnull=False)
        case _:
            tables = tables.filter(closed_at__isnull=True)
    if filters.rules:
        tables = tables.filter(rules_key=filters.rules)
    if filters.name:
        tables = tables.filter(name__icontains=filters.name)
    if filters.table is not None:
        tables = tables.filter(pk=filters.table)
    if filters.host is not None:
        tables = tables.filter(maker=filters.host)
    # The last use says nothing about the id.
    if filters.used.since is not None:
        tables = tables.filter(used_at__gte=filters.used.since)
    if filters.used.until is not None:
        tables = tables.filter(used_at__lte=filters.used.until)
    return tables


def filter_out_of_chips(tables: QuerySet[Table]) -> QuerySet[Table]:
    """Tables that wait for an operator because the rack reached its limit of automatic fills."""
    waiting = tables.filter(closed_at__isnull=True, paused_at__isnull=False)
    return waiting.filter(auto_filled__gt=F("fill_limit"))


def _build_row(table: Table) -> TableListRow:
    differences = ", ".join(rules.list_differences(table.rules))
    return TableListRow(table, table.taken, differences, describe_state(table))  # type: ignore[attr-defined]
