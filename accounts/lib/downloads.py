"""Streaming downloads, with cells that no spreadsheet runs as a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncIterator, Iterable, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.text import compress_sequence

_BEGINS_A_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_FORMULA_IN_ANOTHER_CELL = re.compile(r"([;\t]\s*)(?=[=+\-@＝＋－＠])")


def streaming_download(
    request: HttpRequest, pieces: Iterator[bytes], *, name: str, content_type: str
) -> StreamingHttpResponse:
    """Stream a file, with one piece in memory at a time.

    It is compressed here: Django's middleware writes a separate gzip member for each piece of an
    asynchronous response, and browsers read only the first.
    """
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-store",
        "Vary": "Accept-Encoding",
    }
    if re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
        headers["Content-Encoding"] = "gzip"
        pieces = compress_sequence(pieces)
    content = _iterate_in_thread(pieces) if isinstance(request, ASGIRequest) else pieces
    return StreamingHttpResponse(content, content_type=content_type, headers=headers)


async def _iterate_in_thread(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the pieces, each created in a thread after the previous one was sent."""
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece


def format_csv(rows: Iterable[Iterable[object]]) -> bytes:
    """Rows of a table as CSV, in UTF-8."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def escape_csv_formula(text: str) -> str:
    """Escape a text that a spreadsheet would take for a formula.

    >>> escape_csv_formula("=1+1"), escape_csv_formula("Friday"), escape_csv_formula("Den;=1+1")
    ("'=1+1", 'Friday', "Den;'=1+1")
    """
    # Where numbers have a decimal comma, a spreadsheet begins a new cell after a semicolon.
    text = _FORMULA_IN_ANOTHER_CELL.sub(r"\1'", text)
    return f"'{text}" if text.startswith(_BEGINS_A_FORMULA) else text


def format_decimal(hundredths: int) -> str:
    """Format an amount in whole units, with two decimals.

    >>> format_decimal(-1250), format_decimal(5)
    ('-12.50', '0.05')
    """
    units, rest = divmod(abs(hundredths), 100)
    return f"{'-' if hundredths < 0 else ''}{units}.{rest:02}"
