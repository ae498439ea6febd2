"""The rows of the history's page: drawn once for each reader's language and time zone.

A settled round seldom changes: only by a void, an answered report, or a new name of its table. So a
row is rendered once and kept under all the values that it was rendered from.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from django.db.models import Model
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language

from tables.records.round_entries import HistoryEntry, PlayedRound

MOST_KEPT: Final = 2_000


class _Keyed:
    """An entry that equals others with the same values, in the same language and zone."""

    __slots__ = ("entry", "values")

    def __init__(self, entry: HistoryEntry) -> None:
        self.entry = entry
        self.values = (
            get_language(),
            timezone.get_current_timezone_name(),
            *(value for played in entry.rounds for value in _list_values(played)),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.values == other.values

    def __hash__(self) -> int:
        return hash(self.values)


def render_entry(entry: HistoryEntry) -> str:
    """Render an entry of the history in the active language and zone."""
    return _render(_Keyed(entry))


@lru_cache(maxsize=MOST_KEPT)
def _render(keyed: _Keyed) -> str:
    entry, keyed.entry = keyed.entry, None  # type: ignore[assignment]  # only the values are kept
    context = {"entry": entry, "played": entry.first}
    return render_to_string("tables/history/_entry.html", context)


def _list_values(played: PlayedRound) -> Iterator[Any]:
    """All values of a round that its row may show."""
    result, round_ = played.result, played.result.round
    yield played.is_answered
    yield result.table.name
    for row in (result, round_, round_.shoe, getattr(round_, "pile_game", None), *played.rows):
        yield from _list_columns(row)


def _list_columns(row: Model | None) -> Iterator[Any]:
    """The loaded columns of a row, in their order."""
    if row is None:
        yield None
        return
    loaded = vars(row)
    for field in row._meta.concrete_fields:
        value = loaded.get(field.attname)
        yield repr(value) if isinstance(value, dict) else value
