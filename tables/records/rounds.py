"""A player's rounds: filtered, a page at a time, with results.

A game of piles is one entry with all its hands; any other round is its own entry. Rounds before
the player cleared the history are not included.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from heapq import nlargest
from operator import attrgetter
from typing import Any, Final

from django.db.models import Case, Count, Exists, Max, OuterRef, Q, QuerySet, Subquery, Value, When

from accounts.ledger.days import day_begins, day_ends
from accounts.models import User
from tables.engine.events import Outcome
from tables.engine.piles import Winner
from tables.engine.presets import PRESETS
from tables.models import LOST, VOID, WON, PileGame, Report, Result, Table
from tables.records.round_entries import HistoryEntry, PlayedRound

PAGE: Final = 25
MOST_TABLES: Final = 200
"""The number of tables in the filter, newest ones."""
MOST_REMEMBERED: Final = 2_000
"""The number of players whose tables a process remembers."""

_OF_PILES = [key for key, rules in PRESETS.items() if rules.has_piles]
_WINNERS = {
    Outcome.WIN: Winner.PLAYER,
    Outcome.LOSE: Winner.HOUSE,
    Outcome.PUSH: Winner.DRAW,
}
"""The outcomes of a game; its hands have their own."""

_UNIX_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
_LATE = dt.timedelta(minutes=5)
"""The longest time until another process has committed a round that it finished."""


@dataclass(frozen=True, slots=True)
class RoundFilters:
    """The filter of rounds. Empty fields do not filter."""

    rules: str = ""
    table: int | None = None
    outcome: str = ""
    since: dt.date | None = None
    until: dt.date | None = None
    """The first and last day in ``zone``, inclusive."""
    zone: dt.tzinfo = field(default=dt.UTC, compare=False)
    """The zone of the viewer."""


EVERYTHING: Final = RoundFilters()


@dataclass(frozen=True, slots=True, order=True)
class RoundCursor:
    """A cursor in the history: older entries come after it."""

    finished_at: dt.datetime
    id: int

    @classmethod
    def parse(cls, text: str) -> RoundCursor | None:
        """The place that :meth:`__str__` wrote; ``None`` for anything else.

        >>> str(RoundCursor.parse("1700000000000000-12"))
        '1700000000000000-12'
        >>> RoundCursor.parse("12"), RoundCursor.parse("1700000000000000-12\\n")
        (None, None)
        """
        match = re.fullmatch(r"([0-9]{1,16})-([0-9]{1,18})", text)
        return cls(_UNIX_EPOCH + int(match[1]) * _MICROSECOND, int(match[2])) if match else None

    def __str__(self) -> str:
        return f"{(self.finished_at - _UNIX_EPOCH) // _MICROSECOND}-{self.id}"


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """Where an entry is, and whatever may still change in it: two equal places have equal entries."""

    cursor: RoundCursor
    game: int | None
    """The id of its shoe, for a game of piles."""
    table: str
    outcome: str
    is_answered: bool
    backed_player: str
    """The name of the player whose hands were backed, or empty."""
    hands: tuple[object, ...] = ()
    """Of a game: the number of its hands, of void ones and of answered reports, the last hand, and
    the time at which the shoe was retired."""


@dataclass(frozen=True)
class RoundsPage:
    """A page of the history. Its entries are read when they are used."""

    user: User
    places: list[EntryPlace]
    older: RoundCursor | None
    """The cursor of the next page; ``None`` on the last."""

    @cached_property
    def entries(self) -> list[HistoryEntry]:
        """The entries, newest first."""
        return _load_entries(self.user, self.places)

    @property
    def rounds(self) -> list[PlayedRound]:
        """The rounds of all entries."""
        return [played for entry in self.entries for played in entry.rounds]


def list_rounds(
    user: User,
    filters: RoundFilters = EVERYTHING,
    *,
    before: RoundCursor | None = None,
    size: int = PAGE,
) -> RoundsPage:
    """``size`` entries of this player, newest first, older than ``before``."""
    places: list[EntryPlace] = []
    for results in filter_first_results(user, filters):
        if before is not None:
            results = filter_older(results, before)
        rows = _select_places(user, results)[: size + 1]
        places += [EntryPlace(RoundCursor(at, pk), *changeable) for at, pk, *changeable in rows]
    places.sort(key=attrgetter("cursor"), reverse=True)
    page_places = _add_hands(user, places[:size])
    return RoundsPage(user, page_places, page_places[-1].cursor if len(places) > size else None)


def _select_places(user: User, results: QuerySet[Result]) -> QuerySet[Result, tuple[Any, ...]]:
    # Subqueries in place of joins: a join may lead the database away from the index of the order.
    table = Table.objects.filter(pk=OuterRef("table")).values("name")
    own = Report.objects.filter(round=OuterRef("round"), user=user, answered_at__isnull=False)
    backed = Result.objects.own().filter(round=OuterRef("round"), seat=OuterRef("seat"))
    backed_player = Case(
        When(is_behind=True, then=Subquery(backed.values("user__username")[:1])), default=Value("")
    )
    return results.values_list(
        "finished_at", "pk", "game_id", Subquery(table), "outcome", Exists(own), backed_player
    )


def _add_hands(user: User, places: list[EntryPlace]) -> list[EntryPlace]:
    """Complete the places of games."""
    games = [place.game for place in places if place.game is not None]
    if not games:
        return places
    answered = Q(round__reports__user=user, round__reports__answered_at__isnull=False)
    hands = {
        game: tuple(counts)
        for game, *counts in Result.objects.shown_to(user)
        .filter(game__in=games)
        .order_by("game")
        .values_list("game")
        .annotate(
            count=Count("pk", distinct=True),
            void=Count("pk", distinct=True, filter=Q(outcome=VOID)),
            answered=Count("pk", distinct=True, filter=answered),
            last=Max("pk"),
            retired_at=Max("game__retired_at"),
        )
    }
    return [replace(place, hands=hands.get(place.game, ())) for place in places]


def filter_first_results(user: User, filters: RoundFilters) -> list[QuerySet[Result]]:
    """The first results of the entries that match ``filters``, newest first.

    For an outcome there are several queries, each along an index: "won" covers several outcomes,
    and a game has its own outcome besides those of its hands.
    """
    results: QuerySet[Result] = Result.objects.shown_to(user).filter(opens_game=True)
    if filters.rules:
        results = results.filter(rules_key=filters.rules)
    if filters.table is not None:
        results = results.filter(table=filters.table)
    if filters.since is not None:
        results = results.filter(finished_at__gte=day_begins(filters.since, filters.zone))
    if filters.until is not None:
        results = results.filter(finished_at__lte=day_ends(filters.until, filters.zone))
    if not filters.outcome:
        return [results]
    if filters.outcome == VOID:
        hands = Result.objects.filter(user=user, game=OuterRef("game"), outcome=VOID)
        of_games = results.filter(Exists(hands), game__isnull=False)
        return [results.filter(outcome=VOID, game=None), of_games]
    rounds = [
        results.filter(outcome=outcome, game=None)
        for outcome in _matching_outcomes(filters.outcome)
    ]
    winner = _WINNERS.get(Outcome(filters.outcome))
    if winner is None or filters.rules not in ("", *_OF_PILES):
        return rounds
    won = PileGame.objects.filter(winner=winner.value, round__shoe=OuterRef("game"))
    return [*rounds, results.filter(Exists(won), game__isnull=False)]


def _matching_outcomes(outcome: str) -> tuple[Outcome, ...]:
    """The outcomes of a filter: "won" includes blackjacks, as in the figures."""
    choice = Outcome(outcome)
    return {Outcome.WIN: WON, Outcome.LOSE: LOST}.get(choice, (choice,))


def filter_older(results: QuerySet[Result], place: RoundCursor) -> QuerySet[Result]:
    """The results older than a cursor, in a form that uses the index."""
    is_older = Q(finished_at__lt=place.finished_at) | Q(pk__lt=place.id)
    return results.filter(is_older, finished_at__lte=place.finished_at)


def iter_entries(user: User, filters: RoundFilters, *, size: int) -> Iterator[list[HistoryEntry]]:
    """Iterate over the history, newest first, in lists of ``size`` entries."""
    before = None
    while True:
        piece = list_rounds(user, filters, before=before, size=size)
        yield piece.entries
        if piece.older is None:
            return
        before = piece.older


def _load_entries(user: User, places: list[EntryPlace]) -> list[HistoryEntry]:
    """The entries at these places, in the same order, with one query."""
    opened = [(place.cursor, place.game) for place in places]
    by_entry: dict[tuple[bool, int], list[PlayedRound]] = {}
    rows = list(_select_results(user, opened))
    backed = _load_backed_players(rows)
    for row in rows:
        played = PlayedRound(row, backed.get(row.pk, ""))
        by_entry.setdefault(_entry_key(row.pk, row.game_id), []).append(played)
    return [HistoryEntry(tuple(by_entry[_entry_key(place.id, game)])) for place, game in opened]


def _load_backed_players(rows: Iterable[Result]) -> dict[int, str]:
    """The names of the players whose hands were backed, by id of the result; in one query, if any."""
    behind = {(row.round_id, row.seat): row.pk for row in rows if row.is_behind}
    if not behind:
        return {}
    played = Result.objects.own().filter(round__in={round_id for round_id, _seat in behind})
    names = played.values_list("round", "seat", "user__username")
    return {
        behind[round_id, seat]: name for round_id, seat, name in names if (round_id, seat) in behind
    }


_READ = (
    *(field.attname for field in Result._meta.concrete_fields),
    "table__name", "table__stack_size", "round__number", "round__rules_key", "round__rules_options",
    "round__dealer_cards",
    "round__shoe__retired_at", "round__pile_game__player", "round__pile_game__house",
    "round__pile_game__winner",
)  # fmt: skip
"""The fields of a round for pages and files; of its table only the name and the kind of chips."""


def _select_results(user: User, opened: list[tuple[RoundCursor, int | None]]) -> QuerySet[Result]:
    """The results of single rounds, and those of all hands of games, oldest first."""
    alone = Result.objects.filter(pk__in=[place.id for place, game in opened if game is None])
    shoes = [game for _, game in opened if game is not None]
    games = Result.objects.shown_to(user).filter(game__in=shoes)
    # Without OR: databases would read all results of the player.
    both = alone.order_by().values("pk").union(games.order_by().values("pk"), all=True)
    results = Result.objects.filter(pk__in=both).order_by("finished_at", "pk")
    results = results.select_related("table", "round__shoe", "round__pile_game")
    own = Report.objects.filter(round=OuterRef("round"), user=user, answered_at__isnull=False)
    return results.annotate(is_answered=Exists(own)).only(*_READ)


def _entry_key(pk: int, game_id: int | None) -> tuple[bool, int]:
    return (False, pk) if game_id is None else (True, game_id)


class _PlayedTables:
    """The tables found so far. The next call reads newer results only."""

    def __init__(self) -> None:
        self.ids: set[int] = set()
        self.until: dt.datetime | None = None


@lru_cache(maxsize=MOST_REMEMBERED)
def _get_remembered(_user_id: int, _history_since: dt.datetime | None) -> _PlayedTables:
    return _PlayedTables()


def list_played_tables(user: User) -> list[Table]:
    """The :data:`MOST_TABLES` newest tables of the player's history, by name.

    An index by table would be as large as that of the history, for a list that seldom changes. So
    the results are read once in a process, along the index of the history.
    """
    played_tables = _get_remembered(user.pk, user.history_since)
    since = played_tables.until - _LATE if played_tables.until else _UNIX_EPOCH
    results = (
        Result.objects.shown_to(user).filter(opens_game=True, finished_at__gt=since).order_by()
    )
    last = dict(results.values_list("table").annotate(last=Max("finished_at")))
    played_tables.ids = played_tables.ids | last.keys()  # another request may be reading the set
    played_tables.until = max(last.values(), default=played_tables.until)
    newest = nlargest(MOST_TABLES, played_tables.ids)
    tables = Table.objects.filter(pk__in=newest).only("name")
    return sorted(tables, key=lambda table: (table.name.casefold(), table.pk))


def forget_played_tables() -> None:
    """Forget the tables of all players, for tests: their ids come again."""
    _get_remembered.cache_clear()
