"""The list of tables, newest first, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.lib.pagination import first_page
from tables.models import Seat, Table
from tables.operators.floor.overview import describe_state
from tables.texts import rules

PAGE: Final = 50


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
    filters: Mapping[str, Any], before: int | None = None, size: int = PAGE
) -> TableListPage:
    """The newest tables that match the filters, with ids below ``before``."""
    shown, older = first_page(filter_tables(filters), size, before)
    return TableListPage([_build_row(table) for table in shown], older)


def filter_tables(filters: Mapping[str, Any]) -> QuerySet[Table]:
    """The tables that match the filters, without their private state."""
    tables = Table.objects.defer("state").select_related("maker", "rack").order_by("-pk")
    taken = Seat.objects.filter(table=OuterRef("pk")).order_by().values("table")
    counted = taken.annotate(number=Count("pk")).values("number")
    tables = tables.annotate(taken=Coalesce(Subquery(counted), 0))
    match filters.get("state", ""):
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
    if filters.get("rules"):
        tables = tables.filter(rules_key=filters["rules"])
    if filters.get("q"):
        tables = tables.filter(name__icontains=filters["q"])
    return tables


def filter_out_of_chips(tables: QuerySet[Table]) -> QuerySet[Table]:
    """Tables that wait for an operator because the rack reached its limit of automatic fills."""
    waiting = tables.filter(closed_at__isnull=True, paused_at__isnull=False)
    return waiting.filter(auto_filled__gt=F("fill_limit"))


def _build_row(table: Table) -> TableListRow:
    differences = ", ".join(rules.list_differences(table.rules))
    return TableListRow(table, table.taken, differences, describe_state(table))  # type: ignore[attr-defined]
