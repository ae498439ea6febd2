"""Revenue as CSV, a page at a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Final

from tables.lib.downloads import csv_lines, decimal, escape_csv_formula
from tables.operators.books import revenue
from tables.operators.books.house_edge import Way
from tables.operators.books.revenue import Filters
from tables.operators.books.revenue_row import Row

TYPE: Final = "text/csv; charset=utf-8"

COLUMNS: Final = (
    "first_day", "table", "table_name", "rules", "options", "rounds", "plays", "staked_in_units",
    "paid_in_units", "house_result_in_units", "hold_percent", "expected_in_units",
    "expected_hold_percent", "band_low_in_units", "band_high_in_units", "verdict", "void_rounds",
    "void_plays", "void_staked_in_units", "void_paid_in_units",
)  # fmt: skip
"""The columns. Voids are in the last four only. The band is the 95 % band."""


def pieces(filters: Filters) -> Iterator[bytes]:
    """Iterate over the file. Amounts are in whole units with two decimals."""
    yield csv_lines([COLUMNS])
    for rows in revenue.walk(filters):
        if rows:
            yield csv_lines(_line(row) for row in rows)


def _line(row: Row) -> tuple[object, ...]:
    band = row.band
    return (
        *_about(row),
        row.rounds,
        row.plays,
        decimal(row.staked),
        decimal(row.paid),
        decimal(row.made),
        _percent(row.hold),
        decimal(round(band.expected)) if band else "",
        _percent(row.expected_hold),
        decimal(round(band.low)) if band else "",
        decimal(round(band.high)) if band else "",
        row.verdict,
        row.sums.void_rounds,
        row.sums.void_plays,
        decimal(row.sums.void_staked),
        decimal(row.sums.void_paid),
    )


def _about(row: Row) -> tuple[object, ...]:
    match row.key:
        case dt.date() as day:
            return (day.isoformat(), "", "", "", "")
        case Way(key, options):
            return ("", "", "", key, options)
        case number:
            return ("", number, escape_csv_formula(row.name), "", "")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
