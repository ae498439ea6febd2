"""The projector: adds settled rounds to tallies, standings and takings.

The transaction that settles a round writes its results. Its figures are rows that rounds at other
tables change, too: three or four for each player. So they are written for many rounds together, each
row once, in the order in which the rounds ended. Pages that show figures call
:func:`catch_up_for_page` first.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Final

import structlog
from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import Exists, F, OuterRef

from accounts.ledger import gaming_days
from accounts.lib.sql import optimistic
from accounts.lib.sql.write import InsertRows, UpdateRows
from accounts.models import User
from tables.models import Hand, Result, Round, Tally, UncountedRound
from tables.models.hands import DamagedHands
from tables.results import (
    grades,
    leaderboard_totals,
    revenue,
    scoring,
    streaks,
    uncounted_rounds,
)

log = structlog.get_logger()

ROUNDS: Final = 100
"""The rounds of one transaction: about ten milliseconds, for which commands wait on SQLite."""
PAGE_ROUNDS: Final = 1_000
"""The most rounds that a page counts before it is shown."""
PAGE_WAIT: Final = 500
"""Milliseconds that a page waits for the lock of SQLite's file."""

_KEY: Final = ("id", "user", "rules_key", "day")
_insert = InsertRows(Tally)
_update = UpdateRows(
    Tally, [field.name for field in Tally._meta.concrete_fields if field.name not in _KEY]
)


_damaged: Final[set[int]] = set()
"""Rounds whose hands this process could not read."""


def catch_up() -> None:
    """Count all rounds that were settled up to now, :data:`ROUNDS` in a transaction."""
    while count_rounds():
        pass


def catch_up_for_page() -> None:
    """:func:`catch_up` before a page shows figures.

    If more rounds wait than :data:`PAGE_ROUNDS`, or the database is too busy, the page shows what is
    counted so far. The request's own thread writes: that is as short as a job of the writer thread,
    and does not wait for those before it.
    """
    if not uncounted_rounds.exist():
        return
    try:
        with _short_wait():
            for _ in range(PAGE_ROUNDS // ROUNDS):
                if not count_rounds():
                    break
    except (DatabaseError, optimistic.Conflict) as error:
        log.warning("figures_are_late", error=repr(error))


@contextmanager
def _short_wait() -> Iterator[None]:
    """Wait for the lock of SQLite's file for :data:`PAGE_WAIT` at most, and not as long as a job."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        (usual,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {PAGE_WAIT}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")


def count_rounds() -> bool:
    """Count up to :data:`ROUNDS` rounds in one transaction; return whether there may be more.

    A round whose hands cannot be read stays uncounted, and does not hold up the others.
    """
    round_ids = _list_waiting()
    if not round_ids:
        return False
    try:
        _count_waiting(round_ids)
    except DamagedHands:
        for round_id in round_ids:
            try:
                _count_waiting([round_id])
            except DamagedHands as error:
                log.error("hands_damaged", round_id=round_id, error=str(error))
                _damaged.add(round_id)
    return len(round_ids) == ROUNDS


def _list_waiting() -> list[int]:
    waiting = UncountedRound.objects.exclude(pk__in=_damaged).order_by("pk")
    return list(waiting.values_list("pk", flat=True)[:ROUNDS])


def _count_waiting(round_ids: Sequence[int]) -> None:
    """Count those of these rounds that no other process has counted in the meantime."""
    with optimistic.transaction():
        uncounted_rounds.lock_figures()
        waiting = UncountedRound.objects.filter(pk__in=round_ids).order_by("pk")
        _count(list(waiting.values_list("pk", flat=True)))


def count_round(round_id: int) -> None:
    """Count this round if it is not counted yet, in the caller's transaction. Locks the figures."""
    uncounted_rounds.lock_figures()
    if UncountedRound.objects.filter(pk=round_id).exists():
        _count([round_id])


def _count(round_ids: Sequence[int]) -> None:
    UncountedRound.objects.filter(pk__in=round_ids).delete()
    rounds = Round.objects.filter(pk__in=round_ids).order_by("pk")
    rounds_by_id = {row.pk: row for row in rounds.annotate(is_private=F("table__is_private"))}
    results = list(
        Result.objects.filter(round__in=rounds_by_id).order_by(
            "finished_at", "round_id", "seat", "is_behind", "user_id"
        )
    )
    hands_of = {result.pk: result.list_hands() for result in results}
    hands: dict[int, list[Hand]] = {pk: [] for pk in rounds_by_id}
    for result in results:
        hands[result.round_id] += hands_of[result.pk]
    users = User.objects.in_bulk({result.user_id for result in results})
    # A deletion removes the figures, so none are written after it.
    results = [result for result in results if not users[result.user_id].is_deleted]
    revenue.add_revenue((row, hands[pk]) for pk, row in rounds_by_id.items())
    public = [result for result in results if not rounds_by_id[result.round_id].is_private]
    leaderboard_totals.add_results(one for one in public if one.stake and not one.is_behind)
    gaming = gaming_days.load()
    visible_results = [
        _Settled(result, hands_of[result.pk], gaming.day_of(result.finished_at))
        for result in results
        if _is_shown(result, users[result.user_id])
    ]
    _Tallies(users).add_results(visible_results)
    # The decisions on a backed hand are another player's.
    own = {result.round_id for result in results if not result.is_behind}
    grades.add_waiting(sorted(own), {result.round_id for result in public})


def _is_shown(result: Result, user: User) -> bool:
    """Whether the player has not cleared the history since."""
    return user.history_since is None or user.history_since < result.finished_at


@dataclass(frozen=True, slots=True)
class _Settled:
    """A result with its hands, and the gaming day when it ended."""

    result: Result
    hands: list[Hand]
    day: dt.date


@dataclass(slots=True)
class _Days:
    """The tallies of one player under one key, as far as they change."""

    streak: int
    """With which the first of them begins."""
    rows: dict[dt.date, Tally] = field(default_factory=dict)
    """In the order of the days."""
    is_in_order: bool = True
    """False if a counted round ended after a new one: two processes may settle rounds, or a clock was
    set back.
    """
    late: dict[dt.date, int] = field(default_factory=dict)
    """If not: the days with new rounds, and the streaks with which they ended before."""


class _Tallies:
    """Adds results to tallies."""

    def __init__(self, users: Mapping[int, User]) -> None:
        self._users = users

    def add_results(self, settled: Iterable[_Settled]) -> None:
        """Add results, which are in the order of their end, and write each tally once."""
        by_key: dict[tuple[int, str], list[_Settled]] = defaultdict(list)
        for one in settled:
            for key in (Tally.ALL, one.result.rules_key):
                by_key[one.result.user_id, key].append(one)
        if not by_key:
            return
        days_by_key = _load_days(by_key)
        for whose, own in by_key.items():
            self._add(days_by_key[whose], whose, own)
        rows = [
            days.rows[day]
            for whose, days in days_by_key.items()
            for day in sorted({one.day for one in by_key[whose]})
        ]
        _update(row for row in rows if not row._state.adding)
        _insert(row for row in rows if row._state.adding)
        for (user_id, key), days in days_by_key.items():
            for day, ended_with in days.late.items():
                streaks.recompute(self._users[user_id], key, day, ended_with=ended_with)

    def _add(self, days: _Days, whose: tuple[int, str], settled: Sequence[_Settled]) -> None:
        last = next(reversed(days.rows.values()), None)
        first, first_day = settled[0].result.finished_at, settled[0].day
        if last is not None and last.day >= first_day:
            days.is_in_order = (
                last.day == first_day and last.last_at is not None and last.last_at < first
            )
        for day, played in groupby(settled, key=attrgetter("day")):
            tally = days.rows.get(day)
            if tally is None:
                streak = max(
                    ((row.day, row.streak) for row in days.rows.values() if row.day < day),
                    default=(day, days.streak),
                )[1]
                user_id, key = whose
                tally = Tally(user_id=user_id, rules_key=key, day=day, streak=streak)
                days.rows[day] = tally
            if not days.is_in_order:
                days.late[day] = tally.streak
            for one in played:
                self._add_result(tally, one, has_streak=days.is_in_order)

    def _add_result(self, tally: Tally, settled: _Settled, *, has_streak: bool) -> None:
        result = settled.result
        if not result.is_behind:
            scoring.count_hands(tally, settled.hands)
        score = scoring.score_of(result.outcome)
        setattr(tally, score, getattr(tally, score) + 1)
        tally.rounds += 1
        tally.staked += result.stake
        tally.net += result.net
        tally.biggest_win = max(tally.biggest_win, result.net)
        tally.last_at = max(tally.last_at or result.finished_at, result.finished_at)
        if has_streak:
            tally.streak = scoring.next_streak(tally.streak, result.outcome)
            if score == "won":
                tally.longest_streak = max(tally.longest_streak, tally.streak)


def _load_days(
    by_key: Mapping[tuple[int, str], Sequence[_Settled]],
) -> dict[tuple[int, str], _Days]:
    """The tallies from the first day of all these results on, and the streaks before them."""
    first = min(settled[0].day for settled in by_key.values())
    own = Tally.objects.filter(user__in={user_id for user_id, _ in by_key})
    days = {whose: _Days(streak=0) for whose in by_key}
    for row in own.filter(day__gte=first).order_by("day"):
        if (row.user_id, row.rules_key) in days:
            days[row.user_id, row.rules_key].rows[row.day] = row
    # Most have played before on that day.
    new = {user_id for (user_id, _), of in days.items() if first not in of.rows}
    same = Tally.objects.filter(user=OuterRef("user"), rules_key=OuterRef("rules_key"))
    earlier = own.filter(user__in=new, day__lt=first).order_by()
    last = earlier.filter(~Exists(same.filter(day__gt=OuterRef("day"), day__lt=first)))
    for user_id, key, streak in last.values_list("user_id", "rules_key", "streak"):
        if (user_id, key) in days:
            days[user_id, key].streak = streak
    return days
