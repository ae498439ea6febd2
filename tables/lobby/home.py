"""The home page's data: the player's seats and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, F, OuterRef, Q

from accounts.models import User
from tables.models import Admission, Seat, Table
from tables.state.game_state import GameState

MOST_TABLES: Final = 20


@dataclass(frozen=True, slots=True)
class OwnSeat:
    """A seat of the player, and the state of its table."""

    table_id: int
    table: str
    title: str
    """The title of the rule set."""
    number: int
    has_open_hand: bool
    has_game: bool
    """Whether a game of piles is open, which another player's sitting down would end."""
    staked: int
    """The player's stakes on hands or on the next round, in hundredths."""
    is_asked: bool
    """Whether the player must decide."""
    is_leaving: bool


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table that the player opened or was admitted to."""

    id: int
    name: str
    title: str
    is_private: bool
    runs_it: bool
    players: tuple[str, ...]
    free_seats: int


def list_seats(user: User) -> list[OwnSeat]:
    """The player's seats: first those with an open decision, then those with an open hand."""
    taken = Seat.objects.filter(user=user, table__closed_at=None).select_related("table")
    seats = [_build_own_seat(seat) for seat in taken.order_by("sat_at", "pk")]
    return sorted(seats, key=lambda seat: (not seat.is_asked, not seat.has_open_hand))


def list_tables(user: User) -> list[OwnTable]:
    """The open tables that the player hosts or was admitted to, newest first."""
    let_in = Admission.objects.filter(table=OuterRef("pk"), user=user, code=F("table__code"))
    tables = Table.objects.filter(Q(maker=user) | Exists(let_in), closed_at=None)
    tables = tables.defer("state").prefetch_related("seats__user").order_by("-pk")
    return [_build_own_table(table, user) for table in tables[:MOST_TABLES]]


def _build_own_seat(seat: Seat) -> OwnSeat:
    table = seat.table
    game = GameState.from_text(table.rules, table.state)
    hands = game.hands_of(seat.number, seat.user_id)
    turn = game.round.turn if game.round is not None and hands else None
    return OwnSeat(
        table_id=table.pk,
        table=table.name,
        title=table.rules.title,
        number=seat.number,
        has_open_hand=bool(hands),
        has_game=game.piles is not None and game.deck_left is None,
        staked=sum(hand.stake for hand in hands) or game.bets.get(seat.number, 0),
        is_asked=turn is not None and turn.seat == seat.number,
        is_leaving=seat.is_leaving,
    )


def _build_own_table(table: Table, user: User) -> OwnTable:
    players = tuple(seat.user.username for seat in table.seats.all())
    return OwnTable(
        id=table.pk,
        name=table.name,
        title=table.rules.title,
        is_private=table.is_private,
        runs_it=table.maker_id == user.pk,
        players=players,
        free_seats=table.rules.seats - len(players),
    )
