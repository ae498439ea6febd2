"""Revenue as CSV, a page at a time."""

from __future__ import annotations

import datetime as dt
from typing import Final

from accounts.lists.export import Amount, ListFile, Number
from tables.operators.books import revenue
from tables.operators.books.house_edge import RuleVariant
from tables.operators.books.revenue import RevenueFilters
from tables.operators.books.revenue_row import RevenueRow

COLUMNS: Final = (
    "first_day", "table", "table_name", "rules", "options", "rounds", "plays", "staked_in_units",
    "paid_in_units", "house_result_in_units", "hold_percent", "expected_in_units",
    "expected_hold_percent", "band_low_in_units", "band_high_in_units", "verdict", "void_rounds",
    "void_plays", "void_staked_in_units", "void_paid_in_units",
)  # fmt: skip
"""The columns. Voids are in the last four only. The band is the 95 % band."""


def build_file(filters: RevenueFilters) -> ListFile:
    """The file of the revenue. Amounts are in whole units with two decimals."""
    pages = ([_csv_row(row) for row in rows] for rows in revenue.iter_pages(filters))
    return ListFile(f"books-by-{filters.by}", COLUMNS, pages)


def _csv_row(row: RevenueRow) -> tuple[object, ...]:
    band = row.band
    return (
        *_describe_row(row),
        row.rounds,
        row.plays,
        Amount(row.staked),
        Amount(row.paid),
        Amount(row.made),
        _format_percent(row.hold),
        Amount(round(band.expected)) if band else None,
        _format_percent(row.expected_hold),
        Amount(round(band.low)) if band else None,
        Amount(round(band.high)) if band else None,
        row.verdict,
        row.sums.void_rounds,
        row.sums.void_plays,
        Amount(row.sums.void_staked),
        Amount(row.sums.void_paid),
    )


def _describe_row(row: RevenueRow) -> tuple[object, ...]:
    match row.key:
        case dt.date() as day:
            return (day.isoformat(), "", "", "", "")
        case RuleVariant(key, options):
            return ("", "", "", key, options)
        case number:
            return ("", number, row.name, "", "")


def _format_percent(value: float | None) -> Number | None:
    return None if value is None else Number(f"{value:.3f}")
