"""The rows of the history's page: rendered once for each language and time zone.

A settled round seldom changes: only by a void, an answered report, or a new name of its table or of
the player whose hand was backed. So a row is kept under its place, which has all of that. If all rows
of a page are kept, its rounds are not even read.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language

from accounts.lib import date_forms
from tables.records.rounds import RoundsPage

MOST_KEPT: Final = 2_000


class _Row:
    """A row of a page. It equals others of the same place, in the same language and zone."""

    __slots__ = ("key", "number", "page")

    def __init__(self, key: tuple[Any, ...], page: RoundsPage, number: int) -> None:
        self.key = key
        self.page: RoundsPage | None = page
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Row) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def render_rows(page: RoundsPage) -> list[str]:
    """Render the entries of a page in the active language, zone and form of dates."""
    reader = get_language(), timezone.get_current_timezone_name(), date_forms.active()
    return [
        _render(_Row((*reader, place), page, number)) for number, place in enumerate(page.places)
    ]


@lru_cache(maxsize=MOST_KEPT)
def _render(row: _Row) -> str:
    assert row.page is not None
    entry, row.page = row.page.entries[row.number], None  # the key alone is kept
    context = {"entry": entry, "played": entry.first}
    return render_to_string("tables/history/_entry.html", context)
