"""Revenue as CSV, a page at a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Final

from tables.lib.downloads import escape_csv_formula, format_csv, format_decimal
from tables.operators.books import revenue
from tables.operators.books.house_edge import RuleVariant
from tables.operators.books.revenue import RevenueFilters
from tables.operators.books.revenue_row import RevenueRow

TYPE: Final = "text/csv; charset=utf-8"

COLUMNS: Final = (
    "first_day", "table", "table_name", "rules", "options", "rounds", "plays", "staked_in_units",
    "paid_in_units", "house_result_in_units", "hold_percent", "expected_in_units",
    "expected_hold_percent", "band_low_in_units", "band_high_in_units", "verdict", "void_rounds",
    "void_plays", "void_staked_in_units", "void_paid_in_units",
)  # fmt: skip
"""The columns. Voids are in the last four only. The band is the 95 % band."""


def iter_csv(filters: RevenueFilters) -> Iterator[bytes]:
    """Iterate over the file. Amounts are in whole units with two decimals."""
    yield format_csv([COLUMNS])
    for rows in revenue.iter_pages(filters):
        if rows:
            yield format_csv(_csv_row(row) for row in rows)


def _csv_row(row: RevenueRow) -> tuple[object, ...]:
    band = row.band
    return (
        *_describe_row(row),
        row.rounds,
        row.plays,
        format_decimal(row.staked),
        format_decimal(row.paid),
        format_decimal(row.made),
        _format_percent(row.hold),
        format_decimal(round(band.expected)) if band else "",
        _format_percent(row.expected_hold),
        format_decimal(round(band.low)) if band else "",
        format_decimal(round(band.high)) if band else "",
        row.verdict,
        row.sums.void_rounds,
        row.sums.void_plays,
        format_decimal(row.sums.void_staked),
        format_decimal(row.sums.void_paid),
    )


def _describe_row(row: RevenueRow) -> tuple[object, ...]:
    match row.key:
        case dt.date() as day:
            return (day.isoformat(), "", "", "", "")
        case RuleVariant(key, options):
            return ("", "", "", key, options)
        case number:
            return ("", number, escape_csv_formula(row.name), "", "")


def _format_percent(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
