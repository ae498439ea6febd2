"""The leaderboard: net result per 100 rounds at public tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import QuerySet

from accounts.models import Approval, User
from tables.models import LISTED_FROM, SkillStanding, Standing

S = TypeVar("S", Standing, SkillStanding)

PLACES = 20


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One line of the leaderboard. Equal results have the same rank."""

    rank: int
    user_id: int
    name: str
    rounds: int
    per_hundred: int
    """Net per 100 rounds, in hundredths."""


@dataclass(frozen=True, slots=True)
class OwnRank:
    """The result of a player outside the leaderboard, and the missing rounds."""

    rounds: int
    per_hundred: int
    is_guest: bool
    is_listed: bool

    @property
    def rounds_left(self) -> int:
        """The number of rounds still missing."""
        return max(0, LISTED_FROM - self.rounds)


def list_ranked() -> QuerySet[Standing]:
    """The first :data:`PLACES`, without guests, closed accounts and players who opted out."""
    standings = Standing.objects.filter(
        rounds__gte=LISTED_FROM,
        user__is_listed=True,
        user__is_guest=False,
        user__is_active=True,
        user__approval__in=("", Approval.APPROVED),
    )
    return standings.select_related("user").order_by("-per_hundred", "user")[:PLACES]


def list_rows() -> list[LeaderboardRow]:
    """The lines of the leaderboard; equal results are sorted by name."""
    return [
        LeaderboardRow(
            rank=rank,
            user_id=standing.user_id,
            name=standing.user.username,
            rounds=standing.rounds,
            per_hundred=standing.per_hundred,
        )
        for rank, standing in rank_standings(list_ranked(), is_most_first=True)
    ]


def rank_standings(standings: Iterable[S], *, is_most_first: bool) -> Iterator[tuple[int, S]]:
    """The standings with their ranks, in order; equal results have the same rank, and are sorted by
    name.
    """
    sign = -1 if is_most_first else 1
    ordered = sorted(standings, key=lambda own: (sign * own.per_hundred, own.user.username.lower()))
    rank, last = 0, None
    for number, own in enumerate(ordered, start=1):
        if own.per_hundred != last:
            rank, last = number, own.per_hundred
        yield rank, own


def load_own_rank(user: User) -> OwnRank:
    """The result of this player so far."""
    row = Standing.objects.filter(user=user).values_list("rounds", "per_hundred").first()
    rounds, per_hundred = row or (0, 0)
    return OwnRank(rounds, per_hundred, user.is_guest, user.is_listed)
