"""The leaderboard: net result per hundred units staked at public tables."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import User
from tables.models import LISTED_FROM, Standing

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
    )
    return standings.select_related("user").order_by("-per_hundred", "user")[:PLACES]


def list_rows() -> list[LeaderboardRow]:
    """The lines of the leaderboard; equal results are sorted by name."""
    by_name = sorted(list_ranked(), key=lambda own: (-own.per_hundred, own.user.username.lower()))
    places: list[LeaderboardRow] = []
    for number, standing in enumerate(by_name, start=1):
        is_tie = bool(places) and places[-1].per_hundred == standing.per_hundred
        places.append(
            LeaderboardRow(
                rank=places[-1].rank if is_tie else number,
                user_id=standing.user_id,
                name=standing.user.username,
                rounds=standing.rounds,
                per_hundred=standing.per_hundred,
            )
        )
    return places


def load_own_rank(user: User) -> OwnRank:
    """The result of this player so far."""
    found = Standing.objects.filter(user=user).values_list("rounds", "per_hundred").first()
    rounds, per_hundred = found or (0, 0)
    return OwnRank(rounds, per_hundred, user.is_guest, user.is_listed)
