"""The open tables as the lobby shows them."""

from __future__ import annotations

from dataclasses import dataclass

from tables.engine.rules import Ruleset
from tables.models import Table
from tables.rules_text import differences


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
    seats: tuple[LobbySeat, ...]
    your_seat: int | None


def open_tables(user_id: int | None) -> list[LobbyTable]:
    """Every open table, in two queries, as the user with this id sees it."""
    tables = Table.objects.defer("state").prefetch_related("seats__user")
    return [_lobby_table(table, user_id) for table in tables]


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
        seats=tuple(seats),
        your_seat=next((seat.number for seat in seats if seat.is_you), None),
    )


def _phase_label(table: Table) -> str:
    if table.phase == Table.Phase.BETTING and table.rules.stakes is None:
        return "ready to deal"
    return str(Table.Phase(table.phase).label)
