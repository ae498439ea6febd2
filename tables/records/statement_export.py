"""The statement as CSV, streamed."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext

from accounts.lib.downloads import escape_csv_formula, format_csv, format_decimal
from tables.records import statement
from tables.records.statement import StatementFilters, StatementLine

CHUNK = 500
"""The number of lines in memory at once."""


def iter_csv(user_id: int, filters: StatementFilters) -> Iterator[bytes]:
    """Iterate over the CSV: the header, then the lines, newest first. Times are ISO 8601 in UTC."""
    yield format_csv([_header_row()])
    for lines in statement.iter_lines(user_id, filters, at_once=CHUNK):
        yield format_csv(_csv_row(line) for line in lines)


def _header_row() -> list[str]:
    return [
        gettext("Time"), gettext("What"), gettext("Table"), gettext("Round"),
        gettext("To or from"), gettext("Amount"), gettext("Balance"),
        gettext("Reason"), gettext("Id of the round"),
    ]  # fmt: skip


def _csv_row(line: StatementLine) -> list[str]:
    words, round_ = line.words, line.words.round
    return [
        line.at.isoformat(),
        words.what,
        escape_csv_formula(round_.table) if round_ else "",
        str(round_.number or "") if round_ else "",
        words.other_side,
        format_decimal(line.amount),
        format_decimal(line.balance),
        escape_csv_formula(words.because),
        str(round_.id) if round_ else "",
    ]
