"""The list of open tables in the lobby."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.lib.ids import LARGEST_ID
from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from tables import access
from tables.engine.rules import Ruleset
from tables.models import Seat, Table
from tables.texts.rules import list_differences

A_PAGE: Final = 12
"""The tables on a page; more if the user sits at more."""


@dataclass(frozen=True, slots=True)
class LobbyCursor:
    """A cursor in the list of tables where the user does not sit."""

    table_id: int
    is_made: bool = False
    """Whether a player made that table."""

    @classmethod
    def parse(cls, text: str) -> LobbyCursor | None:
        """The place that :meth:`__str__` wrote; ``None`` for anything else.

        >>> str(LobbyCursor.parse("made-12")), str(LobbyCursor.parse("house-3"))
        ('made-12', 'house-3')
        >>> LobbyCursor.parse("12"), LobbyCursor.parse("made-12\\n")
        (None, None)
        """
        found = re.fullmatch(r"(made|house)-([0-9]{1,18})", text)
        return cls(int(found[2]), found[1] == "made") if found else None

    def __str__(self) -> str:
        return f"{'made' if self.is_made else 'house'}-{self.table_id}"


_FIRST: Final = LobbyCursor(0)
"""Before the first table."""
_NEWER_THAN_ALL: Final = LARGEST_ID


def _filter_other_tables(user_id: Any) -> QuerySet[Table]:
    """The tables that a user may see and does not sit at. ``user_id`` is ``None`` without a login.

    Only one page is read along the indexes, so the cost does not depend on the number of tables.
    """
    seats = Seat.objects.filter(user=user_id)
    return _with_relations(access.filter_visible(user_id).exclude(pk__in=seats.values("table")))


def _with_relations(tables: QuerySet[Table]) -> QuerySet[Table]:
    return tables.select_related("maker").defer("state")


_houses = Select(
    lambda user_id, after: (
        _filter_other_tables(user_id).filter(maker=None, pk__gt=after).order_by("pk")[: A_PAGE + 1]
    )
)
_made = Select(
    lambda user_id, before: (
        _filter_other_tables(user_id)
        .filter(maker__isnull=False, pk__lt=before)
        .order_by("-pk")[: A_PAGE + 1]
    )
)
_seated_at = Select(
    lambda user_id: _with_relations(
        Table.objects.filter(seats__user=user_id, closed_at=None).order_by("pk")
    )
)
_seats_at = Select(
    lambda *table_ids: Seat.objects.filter(build_in_condition("table", table_ids)).values_list(
        "table_id", "number", "user_id", "user__username"
    )
)


@dataclass(frozen=True, slots=True)
class LobbySeat:
    number: int
    player: str | None = None
    is_you: bool = False


@dataclass(frozen=True, slots=True)
class LobbyTable:
    id: int
    name: str
    rules: Ruleset
    differences: tuple[str, ...]
    """The differences from the rule set."""
    phase_label: str
    maker: str | None
    is_private: bool
    is_locked: bool
    is_paused: bool
    watchers: int
    seats: tuple[LobbySeat, ...]
    your_seat: int | None
    may_sit: bool
    """Whether the user may take a free seat."""


@dataclass(frozen=True, slots=True)
class LobbyPage:
    tables: list[LobbyTable]
    more: LobbyCursor | None
    """The cursor of the next page; ``None`` on the last."""


def list_tables(user_id: int | None, after: LobbyCursor | None = None) -> LobbyPage:
    """A page of the open tables that this user may see, :data:`A_PAGE` at a time.

    The first page has all tables where the user sits; then come the site's tables, then those of
    players, newest first. The order does not depend on other players' seats.
    """
    mine = _seated_at(user_id) if user_id is not None and after is None else []
    room = max(A_PAGE - len(mine), 0)
    others = _list_other_tables(user_id, after or _FIRST, room + 1)
    shown = [*mine, *others[:room]]
    more = None
    if len(others) > room:
        more = _build_cursor(others[room - 1]) if room else _FIRST
    return LobbyPage(_build_rows(shown, user_id), more)


def _list_other_tables(user_id: int | None, after: LobbyCursor, number: int) -> list[Table]:
    """The next ``number`` tables where this user does not sit."""
    found = [] if after.is_made else _houses(user_id, after.table_id)
    if len(found) < number:
        found += _made(user_id, after.table_id if after.is_made else _NEWER_THAN_ALL)
    return found[:number]


def _build_cursor(table: Table) -> LobbyCursor:
    return LobbyCursor(table.pk, is_made=table.maker_id is not None)


def _build_rows(tables: Iterable[Table], user_id: int | None) -> list[LobbyTable]:
    wanted = {table.pk: table for table in tables}
    taken: dict[int, list[LobbySeat]] = {table_id: [] for table_id in wanted}
    for table_id, number, player_id, player in _seats_at(*pad_arguments(wanted)) if wanted else ():
        taken[table_id].append(LobbySeat(number, player, player_id == user_id))
    return [_build_row(table, taken[table.pk], user_id) for table in wanted.values()]


def _build_row(table: Table, taken: Iterable[LobbySeat], user_id: int | None) -> LobbyTable:
    rules, by_number = table.rules, {seat.number: seat for seat in taken}
    numbers = range(1, rules.seats + 1)
    your_seat = next((seat.number for seat in by_number.values() if seat.is_you), None)
    is_kept_shut = table.is_locked and (user_id is None or table.maker_id != user_id)
    return LobbyTable(
        id=table.pk,
        name=table.name,
        rules=rules,
        differences=list_differences(rules),
        phase_label=_phase_label(table),
        maker=table.maker.username if table.maker else None,
        is_private=table.is_private,
        is_locked=table.is_locked,
        is_paused=table.paused_at is not None,
        watchers=table.watchers,
        seats=tuple(by_number.get(number, LobbySeat(number)) for number in numbers),
        your_seat=your_seat,
        may_sit=your_seat is None and not is_kept_shut,
    )


def _phase_label(table: Table) -> str:
    if table.phase == Table.Phase.BETTING and table.rules.stakes is None:
        return _("ready to deal")
    return str(Table.Phase(table.phase).label)
