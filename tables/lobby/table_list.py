"""The list of open tables in the lobby."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from accounts.lib import server_clock
from accounts.lib.ids import LARGEST_ID
from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from tables import access
from tables.advice import game_odds
from tables.engine.rules import Ruleset
from tables.models import Admission, Match, QueueEntry, Result, Seat, Table
from tables.odds.games import Game
from tables.texts.odds import describe_edge
from tables.texts.rules import list_differences

A_PAGE: Final = 12
"""The tables on a page; more if the user sits at more."""
RECENT_ROUNDS: Final = 50
"""The last rounds of a user, whose other players' tables come first."""
MOST_OF_COMPANIONS: Final = 4
"""The limit of such tables; others are in their usual place."""


Kind = Literal["own", "house", "made"]
"""Tables that a user hosts or was admitted to, the site's public ones, and other players' public
ones; they follow each other in this order.
"""
KINDS: Final[tuple[Kind, ...]] = ("own", "house", "made")


@dataclass(frozen=True, slots=True)
class LobbyCursor:
    """A cursor in the list of tables where the user does not sit."""

    table_id: int
    kind: Kind

    @classmethod
    def parse(cls, text: str) -> LobbyCursor | None:
        """The place that :meth:`__str__` wrote; ``None`` for anything else.

        >>> str(LobbyCursor.parse("made-12")), str(LobbyCursor.parse("house-3"))
        ('made-12', 'house-3')
        >>> LobbyCursor.parse("12"), LobbyCursor.parse("made-12\\n")
        (None, None)
        """
        match = re.fullmatch(r"(own|made|house)-([0-9]{1,18})", text)
        return cls(int(match[2]), cast(Kind, match[1])) if match else None

    def __str__(self) -> str:
        return f"{self.kind}-{self.table_id}"


_NEWER_THAN_ALL: Final = LARGEST_ID
_FIRST: Final = LobbyCursor(0, "own")
"""Before the first table."""


def _without_seat(tables: QuerySet[Table], user_id: Any) -> QuerySet[Table]:
    """Those of the tables where a user does not sit; 0 is nobody.

    Only one page is read along the indexes, so the cost does not depend on the number of tables.
    """
    seats = Seat.objects.filter(user=user_id)
    return _with_relations(tables.exclude(pk__in=seats.values("table")))


def _with_relations(tables: QuerySet[Table]) -> QuerySet[Table]:
    return tables.select_related("maker", "match").defer("state", "match__secrets")


def _companions_tables(user_id: Any) -> QuerySet[Table]:
    """Public tables where players of the user's last rounds sit."""
    mine = Result.objects.filter(user=user_id, opens_game=True).order_by("-finished_at", "-id")
    others = Result.objects.filter(round__in=mine.values("round")[:RECENT_ROUNDS])
    companions = others.exclude(user=user_id).order_by().values("user")
    seats = Seat.objects.filter(user__in=companions).order_by()
    tables = access.public_tables().filter(pk__in=seats.values("table"))
    return tables.exclude(maker=user_id)


_own = Select(
    lambda user_id, before, used_since: (
        _without_seat(access.own_tables(user_id, used_since), user_id)
        .filter(pk__lt=before)
        .order_by("-pk")[: A_PAGE + 1]
    )
)
_of_companions = Select(
    lambda user_id: _without_seat(_companions_tables(user_id), user_id).order_by("pk")[
        :MOST_OF_COMPANIONS
    ]
)
_houses = Select(
    lambda user_id, after: (
        _without_seat(access.public_tables(), user_id)
        .filter(maker=None, pk__gt=after)
        .order_by("pk")[: A_PAGE + 1 + MOST_OF_COMPANIONS]
    )
)
_made = Select(
    lambda user_id, before: (
        _without_seat(access.public_tables(), user_id)
        .filter(maker__isnull=False, pk__lt=before)
        .exclude(maker=user_id)
        .order_by("-pk")[: A_PAGE + 1 + MOST_OF_COMPANIONS]
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


_offers_at = Select(
    lambda *table_ids: QueueEntry.objects.filter(
        build_in_condition("table", table_ids), seat__isnull=False
    ).values_list("table_id", "seat", "user_id")
)


@dataclass(frozen=True, slots=True)
class LobbySeat:
    number: int
    player: str | None = None
    is_you: bool = False
    is_offered: bool = False
    """Free, and offered to another player in line."""


@dataclass(frozen=True, slots=True)
class LobbyTable:
    id: int
    name: str
    rules: Ruleset
    differences: tuple[str, ...]
    """The differences from the rule set."""
    edge: str
    """The value of its game in a few words; empty while it is not computed."""
    phase_label: str
    maker: str | None
    is_private: bool
    is_locked: bool
    is_paused: bool
    has_chips: bool
    """Whether everyone plays with chips of the table."""
    watchers: int
    seats: tuple[LobbySeat, ...]
    your_seat: int | None
    may_sit: bool
    """Whether the user may take a free seat."""
    has_players: bool
    match_label: str
    """The progress of the match there; empty without one."""
    is_compact: bool
    """Whether a phone shows it as one line: a public table where nobody sits."""


@dataclass(frozen=True, slots=True)
class LobbyPage:
    tables: list[LobbyTable]
    more: LobbyCursor | None
    """The cursor of the next page; ``None`` on the last."""


def list_tables(user_id: int | None, after: LobbyCursor | None = None) -> LobbyPage:
    """A page of the open tables that this user may see, :data:`A_PAGE` at a time.

    The first page has all tables where the user sits, and public ones where players of their last
    rounds sit, after the user's own. Then come the site's, and those of players, newest first.
    """
    viewer = user_id or 0  # no user has this id
    companions = _of_companions(viewer) if viewer else []
    seated = _seated_at(viewer) if viewer and after is None else []
    room = max(A_PAGE - len(seated), 0)
    others = _list_other_tables(
        viewer, after or _FIRST, {table.pk for table in companions}, room + 1
    )
    own = [table for table, place in others[:room] if place.kind == "own"]
    rest = [table for table, place in others[:room] if place.kind != "own"]
    tables = [*seated, *own, *(companions if after is None else ()), *rest]
    more = None
    if len(others) > room:
        more = others[room - 1][1] if room else _FIRST
    return LobbyPage(_build_rows(tables, user_id), more)


def _list_other_tables(
    viewer: int, after: LobbyCursor, skipped: Collection[int], number: int
) -> list[tuple[Table, LobbyCursor]]:
    """The next ``number`` tables where this user does not sit, each with the place after it.

    Tables of companions are on the first page, so they are skipped.
    """
    places: list[tuple[Table, LobbyCursor]] = []
    for kind in KINDS[KINDS.index(after.kind) :]:
        start = after.table_id if kind == after.kind else 0
        match kind:
            case "own":
                since = server_clock.now() - access.DESERTED
                tables = _own(viewer, start or _NEWER_THAN_ALL, since) if viewer else []
            case "house":
                tables = _houses(viewer, start)
            case "made":
                tables = _made(viewer, start or _NEWER_THAN_ALL)
        places += [
            (table, LobbyCursor(table.pk, kind)) for table in tables if table.pk not in skipped
        ]
        if len(places) >= number:
            break
    return places[:number]


@dataclass(frozen=True, slots=True)
class ChangedTable:
    """A table that changed, for the open lobbies."""

    row: Table
    players: tuple[tuple[int, int, str], ...]
    """Number, user id and name of each taken seat."""
    offers: tuple[tuple[int, int], ...]
    """Number of each seat that is offered, and the id of the user in line."""
    insiders: frozenset[int]
    """The users who see it otherwise than everybody: its host, its players and who is offered a seat;
    of a private table also those who have it on their lists."""
    game: Game | None
    """The value of its game, if it is computed."""

    def row_for(self, user_id: int | None) -> LobbyTable:
        """The table as this user sees it."""
        seats = [LobbySeat(number, name, who == user_id) for number, who, name in self.players]
        seats += _mark_offered(self.offers, user_id)
        return _build_row(self.row, seats, user_id, self.game)


def load_changed(table_ids: Collection[int], user_ids: Collection[int]) -> list[ChangedTable]:
    """These tables, also closed ones, with those of the users who see them otherwise than everybody.

    Only listed guests of a private table are among them, as in :func:`list_tables`.
    """
    rows = _with_relations(Table.objects.filter(pk__in=table_ids)).order_by("pk")
    players: dict[int, list[tuple[int, int, str]]] = {pk: [] for pk in table_ids}
    seats = Seat.objects.filter(table__in=table_ids).order_by("number")
    for pk, number, who, name in seats.values_list(
        "table_id", "number", "user_id", "user__username"
    ):
        players[pk].append((number, who, name))
    offers: dict[int, list[tuple[int, int]]] = {pk: [] for pk in table_ids}
    for pk, seat, who in _offers_at(*pad_arguments(table_ids)) if table_ids else ():
        offers[pk].append((seat or 0, who))
    admissions = Admission.objects.filter(
        table__in=table_ids, user__in=user_ids, code=F("table__code"), is_listed=True
    )
    guests: dict[int, set[int]] = {pk: set() for pk in table_ids}
    for pk, user_id in admissions.values_list("table_id", "user_id"):
        guests[pk].add(user_id)
    games = game_odds.find_all(row.rules for row in rows)
    return [
        ChangedTable(
            row,
            tuple(players[row.pk]),
            tuple(offers[row.pk]),
            frozenset(
                {row.maker_id or 0, *(who for _, who, _ in players[row.pk])}
                | {who for _, who in offers[row.pk]}
                | (guests[row.pk] if row.is_private else set())
            ),
            games.get(row.rules),
        )
        for row in rows
    ]


def _build_rows(tables: Iterable[Table], user_id: int | None) -> list[LobbyTable]:
    by_id = {table.pk: table for table in tables}
    seats: dict[int, list[LobbySeat]] = {table_id: [] for table_id in by_id}
    for table_id, number, player_id, player in _seats_at(*pad_arguments(by_id)) if by_id else ():
        seats[table_id].append(LobbySeat(number, player, player_id == user_id))
    for table_id, seat, player_id in _offers_at(*pad_arguments(by_id)) if by_id else ():
        seats[table_id] += _mark_offered([(seat or 0, player_id)], user_id)
    games = game_odds.find_all(table.rules for table in by_id.values())
    return [
        _build_row(table, seats[table.pk], user_id, games.get(table.rules))
        for table in by_id.values()
    ]


def _mark_offered(offers: Iterable[tuple[int, int]], user_id: int | None) -> list[LobbySeat]:
    """The free seats that are offered to others than this user."""
    return [LobbySeat(number, is_offered=True) for number, who in offers if who != user_id]


def _build_row(
    table: Table, seats: Iterable[LobbySeat], user_id: int | None, game: Game | None
) -> LobbyTable:
    rules, by_number = table.rules, {seat.number: seat for seat in seats}
    numbers = range(1, rules.seats + 1)
    your_seat = next((seat.number for seat in by_number.values() if seat.is_you), None)
    is_own = user_id is not None and table.maker_id == user_id
    is_kept_shut = table.is_locked and not is_own
    return LobbyTable(
        id=table.pk,
        name=table.name,
        rules=rules,
        differences=list_differences(rules),
        edge=describe_edge(rules, game) if game else "",
        phase_label=_phase_label(table),
        maker=table.maker.username if table.maker else None,
        is_private=table.is_private,
        is_locked=table.is_locked,
        is_paused=table.paused_at is not None,
        has_chips=table.has_chips,
        watchers=table.watchers,
        seats=tuple(by_number.get(number, LobbySeat(number)) for number in numbers),
        your_seat=your_seat,
        may_sit=your_seat is None and not is_kept_shut and _may_join(table.match),
        has_players=any(seat.player for seat in by_number.values()),
        match_label=_match_label(table),
        is_compact=not by_number and not table.is_private and not is_own,
    )


def _may_join(match: Match | None) -> bool:
    return match is None or match.state == Match.State.WAITING


def _match_label(table: Table) -> str:
    """Such as "Match, round 7 of 20"."""
    match = table.match
    if match is None:
        return ""
    if match.state == Match.State.WAITING:
        return _("Match, not started yet")
    if match.state != Match.State.RUNNING:
        return _("Match over")
    if match.is_duplicate:
        return _("Duplicate match")
    number = match.played + 1
    if match.rounds is None:
        return _("Match, round %(number)s") % {"number": number}
    numbers = {"number": min(number, match.rounds), "rounds": match.rounds}
    return _("Match, round %(number)s of %(rounds)s") % numbers


def _phase_label(table: Table) -> str:
    if table.match is not None and table.match.state != Match.State.RUNNING:
        return str(Match.State(table.match.state).label)
    if table.phase == Table.Phase.BETTING and table.rules.stakes is None:
        return _("ready to deal")
    return str(Table.Phase(table.phase).label)
