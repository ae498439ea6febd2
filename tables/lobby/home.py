"""The home page's data: the player's seats and tables."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q

from accounts.models import User
from tables import access
from tables.engine.presets import PRESETS
from tables.models import Match, Result, Seat, Table
from tables.state.game_state import GameState

MOST_MATCHES: Final = 5
"""The matches on the home page."""
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
    is_in_match: bool
    is_match_over: bool


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table that the player opened or was admitted to."""

    id: int
    name: str
    title: str
    is_private: bool
    runs_it: bool
    """Whether the player hosts it. Such a table stays on the list until it is closed."""
    players: tuple[str, ...]
    free_seats: int


def list_seats(user: User) -> list[OwnSeat]:
    """The player's seats: first those with an open decision, then those with an open hand."""
    rows = Seat.objects.filter(user=user, table__closed_at=None).select_related("table")
    seats = [_build_own_seat(seat) for seat in rows.order_by("sat_at", "pk")]
    return sorted(seats, key=lambda seat: (not seat.is_asked, not seat.has_open_hand))


def last_rules(user: User) -> str:
    """The rule set of the player's last round, or the first one."""
    last = Result.objects.filter(user=user, opens_game=True).order_by("-finished_at", "-id")
    return last.values_list("rules_key", flat=True).first() or next(iter(PRESETS))


def free_seats(user: User, rules_key: str) -> list[tuple[int, int]]:
    """Free seats at public tables of these rules where the player does not sit yet, as numbers of
    table and seat: one for each table. Tables with the fewest players first, the site's before others.
    """
    tables = access.public_tables().filter(rules_key=rules_key, paused_at=None, is_closing=False)
    tables = tables.filter(stack_size=None, match=None)
    tables = tables.filter(Q(is_locked=False) | Q(maker=user)).exclude(seats__user=user)
    tables = tables.annotate(players=Count("seats"), is_made=Q(maker__isnull=False))
    tables = tables.order_by("players", "is_made", "pk").defer("state").prefetch_related("seats")
    return [place for table in tables[:MOST_TABLES] for place in _first_free_seat(table)]


def seat_with_rules(user: User, rules_key: str) -> int | None:
    """The id of a public table of these rules where the player sits; ``None`` without one."""
    seated = access.public_tables().filter(rules_key=rules_key, seats__user=user, match=None)
    seated = seated.order_by("pk")
    return seated.values_list("pk", flat=True).first()


def _first_free_seat(table: Table) -> list[tuple[int, int]]:
    occupied_numbers = {seat.number for seat in table.seats.all()}
    free = [number for number in range(1, table.rules.seats + 1) if number not in occupied_numbers]
    return [(table.pk, number) for number in free[:1]]


def list_tables(user: User, now: dt.datetime) -> list[OwnTable]:
    """The open tables that the player hosts or was admitted to, newest first."""
    tables = access.own_tables(user.pk, now - access.DESERTED)
    tables = tables.filter(match__ended_at=None)  # those of ended matches are listed as matches
    tables = tables.defer("state").prefetch_related("seats__user").order_by("-pk")
    return [_build_own_table(table, user) for table in tables[:MOST_TABLES]]


def list_matches(user: User) -> list[Match]:
    """The last :data:`MOST_MATCHES` matches of the player, newest first."""
    matches = Match.objects.filter(players__user=user).order_by("-pk").defer("secrets")
    return list(matches[:MOST_MATCHES])


def _build_own_seat(seat: Seat) -> OwnSeat:
    table = seat.table
    game = GameState.from_text_or_none(table.rules, table.state) or GameState(table.rules)
    hands = game.hands_of(seat.number, seat.user_id)
    return OwnSeat(
        table_id=table.pk,
        table=table.name,
        title=table.rules.title,
        number=seat.number,
        has_open_hand=bool(hands),
        has_game=game.piles is not None and game.deck_left is None,
        staked=sum(hand.stake for hand in hands) or game.bets.get(seat.number, 0),
        is_asked=bool(hands) and game.is_asked(seat.number),
        is_leaving=seat.is_leaving,
        is_in_match=game.is_match_running,
        is_match_over=game.match is not None and game.match.has_ended,
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
