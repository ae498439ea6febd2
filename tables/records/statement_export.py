"""The statement as CSV, streamed."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext

from tables.lib.downloads import csv_lines, decimal, escape_csv_formula
from tables.records import statement
from tables.records.statement import Filters, Line

CHUNK = 500
"""The number of lines in memory at once."""


def csv_of(user_id: int, filters: Filters) -> Iterator[bytes]:
    """Iterate over the CSV: the header, then the lines, newest first. Times are ISO 8601 in UTC."""
    yield csv_lines([_head()])
    for lines in statement.all_lines(user_id, filters, at_once=CHUNK):
        yield csv_lines(_row(line) for line in lines)


def _head() -> list[str]:
    return [
        gettext("Time"), gettext("What"), gettext("Table"), gettext("Round"),
        gettext("To or from"), gettext("Amount"), gettext("Balance"),
        gettext("Reason"),
    ]  # fmt: skip


def _row(line: Line) -> list[str]:
    words, round_ = line.words, line.words.round
    return [
        line.at.isoformat(),
        words.what,
        escape_csv_formula(round_.table) if round_ else "",
        str(round_.id) if round_ else "",
        words.other_side,
        decimal(line.amount),
        decimal(line.balance),
        escape_csv_formula(words.because),
    ]
