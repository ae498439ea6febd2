"""The open tables as the lobby shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet, prefetch_related_objects
from django.utils.translation import gettext as _

from tables import access
from tables.engine.rules import Ruleset
from tables.models import Seat, Table
from tables.rules_text import differences

A_PAGE: Final = 12
"""So many tables, and more where somebody sits at more."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the list: of those where one does not sit, what comes later comes after it."""

    table_id: int
    is_made: bool = False
    """Whether a player made that table."""

    @classmethod
    def parse(cls, text: str) -> Place | None:
        """The place that :meth:`__str__` wrote; ``None`` for anything else.

        >>> str(Place.parse("made-12")), str(Place.parse("house-3"))
        ('made-12', 'house-3')
        >>> Place.parse("12"), Place.parse("made-12\\n")
        (None, None)
        """
        found = re.fullmatch(r"(made|house)-([0-9]{1,18})", text)
        return cls(int(found[2]), found[1] == "made") if found else None

    def __str__(self) -> str:
        return f"{'made' if self.is_made else 'house'}-{self.table_id}"


_FIRST: Final = Place(0)
"""Before all of them."""


@dataclass(frozen=True, slots=True)
class LobbySeat:
    number: int
    player: str | None
    is_you: bool


@dataclass(frozen=True, slots=True)
class LobbyTable:
    id: int
    name: str
    rules: Ruleset
    differences: tuple[str, ...]
    """What is played differently from the rule set of this name."""
    phase_label: str
    maker: str | None
    is_private: bool
    is_locked: bool
    is_paused: bool
    watchers: int
    seats: tuple[LobbySeat, ...]
    your_seat: int | None


@dataclass(frozen=True, slots=True)
class LobbyPage:
    tables: list[LobbyTable]
    more: Place | None
    """Where the next page goes on; ``None`` on the last."""


def page(user_id: int | None, after: Place | None = None) -> LobbyPage:
    """The open tables that the user with this id may see, :data:`A_PAGE` at a time.

    First those where they sit, which are on the first page all of them; then the house's, then
    those of players, the newest first. A table keeps its place while others sit down and get up.
    """
    mine = _seated_at(user_id) if user_id is not None and after is None else []
    room = max(A_PAGE - len(mine), 0)
    others = _others(user_id, after or _FIRST, room + 1)
    shown = [*mine, *others[:room]]
    prefetch_related_objects(shown, "seats__user")
    more = None
    if len(others) > room:
        more = _place_of(others[room - 1]) if room else _FIRST
    return LobbyPage([_lobby_table(table, user_id) for table in shown], more)


def _seated_at(user_id: int) -> list[Table]:
    seats = Seat.objects.filter(user=user_id)
    return _read(Table.objects.filter(pk__in=seats.values("table"), closed_at=None).order_by("pk"))


def _others(user_id: int | None, after: Place, number: int) -> list[Table]:
    """So many tables where this user does not sit. Indexes are walked up to there, and no more of
    them: the lobby costs the same however many tables are open.
    """
    tables = access.tables_in_sight(user_id)
    if user_id is not None:
        tables = tables.exclude(pk__in=Seat.objects.filter(user=user_id).values("table"))
    houses, made = tables.filter(maker=None), tables.filter(maker__isnull=False)
    found = []
    if not after.is_made:
        found = _read(houses.filter(pk__gt=after.table_id).order_by("pk")[:number])
    elif after.table_id:
        made = made.filter(pk__lt=after.table_id)
    if len(found) < number:
        found += _read(made.order_by("-pk")[: number - len(found)])
    return found


def _read(tables: QuerySet[Table]) -> list[Table]:
    return list(tables.select_related("maker").defer("state"))


def _place_of(table: Table) -> Place:
    return Place(table.pk, is_made=table.maker_id is not None)


def _lobby_table(table: Table, user_id: int | None) -> LobbyTable:
    taken = {seat.number: seat for seat in table.seats.all()}
    seats = []
    for number in range(1, table.rules.seats + 1):
        seat = taken.get(number)
        player = seat.user.username if seat else None
        seats.append(LobbySeat(number, player, seat is not None and seat.user_id == user_id))
    return LobbyTable(
        id=table.pk,
        name=table.name,
        rules=table.rules,
        differences=differences(table.rules),
        phase_label=_phase_label(table),
        maker=table.maker.username if table.maker else None,
        is_private=table.is_private,
        is_locked=table.is_locked,
        is_paused=table.paused_at is not None,
        watchers=table.watchers,
        seats=tuple(seats),
        your_seat=next((seat.number for seat in seats if seat.is_you), None),
    )


def _phase_label(table: Table) -> str:
    if table.phase == Table.Phase.BETTING and table.rules.stakes is None:
        return _("ready to deal")
    return str(Table.Phase(table.phase).label)
