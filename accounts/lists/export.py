"""A list as a CSV file with its filters, streamed, and recorded in the audit log."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.downloads import (
    escape_csv_formula,
    format_csv,
    format_decimal,
    streaming_download,
)
from accounts.lib.errors import BUSY, TRY_AGAIN
from accounts.models import Act

MOST_ROWS: Final = 100_000
"""The limit of rows of a file."""
AT_ONCE: Final = 500
"""The number of rows that a file reads at once."""
PARAMETER: Final = "as"
TYPE: Final = "text/csv; charset=utf-8"

R = TypeVar("R")
C = TypeVar("C", int, str)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount in hundredths, written in whole units."""

    hundredths: int


class Number(str):
    """A number as text, which is no formula whatever its sign."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ListFile:
    """A list as a file. A cell is a text, a number, a time, an :class:`Amount`, a bool or ``None``."""

    name: str
    """The name of the file, and of the list in the audit log."""
    columns: Sequence[str]
    pages: Iterable[Iterable[Sequence[object]]]
    """The rows, some at once."""


def is_wanted(request: HttpRequest) -> bool:
    """Whether the file of a list is requested, and not its page."""
    return request.GET.get(PARAMETER) == "csv"


def file_query(query: Mapping[str, str]) -> str:
    """The query of the link to the file of a list with these filters."""
    return f"?{urlencode({**query, PARAMETER: 'csv'})}"


def read_pages(read: Callable[[C | None], tuple[Sequence[R], C | None]]) -> Iterator[Sequence[R]]:
    """Read all pages of a list: ``read`` gets a cursor, and returns rows and the next cursor."""
    rows, cursor = read(None)
    yield rows
    while cursor is not None:
        rows, cursor = read(cursor)
        yield rows


def download(
    request: HttpRequest,
    file: ListFile,
    query: Mapping[str, str],
    *,
    logged: Mapping[str, str] | None = None,
    back: str = "",
) -> HttpResponseBase:
    """Record the download with its filters in the audit log, and stream the file.

    ``logged`` are the filters for the log if they differ from ``query``: entries are permanent, so they
    name no player. Addresses are shortened.

    If the site is too busy for that, it leads to the page ``back``, or to the list at the same path.
    """
    try:
        if request.method == "GET":
            filters = query if logged is None else logged
            of = {name: audit_log.shorten_addresses(value) for name, value in filters.items()}
            after = {"list": file.name, "of": of}
            audit_log.record(
                Operator.from_request(request), Act.What.DOWNLOAD, audit_log.SITE, after=after
            )
    except BUSY:
        messages.error(request, TRY_AGAIN)
        return redirect(f"{reverse(back) if back else request.path}?{urlencode(query)}")
    name = f"{file.name}.csv"
    return streaming_download(request, iter_csv(file), name=name, content_type=TYPE)


def iter_csv(file: ListFile) -> Iterator[bytes]:
    """Iterate over the file: the columns, then :data:`MOST_ROWS` rows at most. The last line says so
    if there are more.
    """
    yield format_csv([file.columns])
    rest = MOST_ROWS
    for page in file.pages:
        rows = [[format_cell(cell) for cell in row] for row in page]
        if rows[:rest]:
            yield format_csv(rows[:rest])
        if len(rows) > rest:
            sentence = _("These are the first %(most)s rows. Choose filters for fewer.")
            yield format_csv([[sentence % {"most": f"{MOST_ROWS:,}"}]])
            return
        rest -= len(rows)


def format_cell(cell: object) -> str:
    """A cell as text. Times are ISO 8601 in UTC; no text is a formula.

    >>> format_cell("=1+1"), format_cell(Amount(-1250)), format_cell(None), format_cell(True)
    ("'=1+1", '-12.50', '', 'yes')
    """
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case Amount(hundredths):
            return format_decimal(hundredths)
        case dt.datetime():
            return cell.astimezone(dt.UTC).isoformat()
        case int() | float() | dt.date() | Number():
            return str(cell)
        case _:
            return escape_csv_formula(str(cell))
