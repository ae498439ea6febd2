"""The open tables as the lobby shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import (
    BooleanField,
    Case,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    When,
)
from django.utils.translation import gettext as _

from tables import access
from tables.engine.rules import Ruleset
from tables.models import Seat, Table
from tables.rules_text import differences

MOST: Final = 60


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


def open_tables(user_id: int | None) -> list[LobbyTable]:
    """The open tables that the user with this id may see, in two queries.

    First those where they sit, then the house's, then those of players, the newest first:
    :data:`MOST` in all. A table keeps its place while others sit down and get up.
    """
    is_mine = Exists(Seat.objects.filter(table=OuterRef("pk"), user=user_id))
    tables = access.tables_in_sight(user_id).annotate(
        is_mine=is_mine, is_made=ExpressionWrapper(Q(maker__isnull=False), BooleanField())
    )
    tables = tables.order_by("-is_mine", "is_made", Case(When(is_made=True, then=-F("pk"))), "pk")
    tables = tables.select_related("maker").defer("state").prefetch_related("seats__user")
    return [_lobby_table(table, user_id) for table in tables[:MOST]]


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
