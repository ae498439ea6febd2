"""The leaderboard of skill: the cost of 100 decisions at public tables, the lowest first."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import Approval, User
from tables.models import LISTED_FROM_DECISIONS, SkillStanding
from tables.records.leaderboard import PLACES, rank_standings
from tables.records.skill.graded_round import format_share


@dataclass(frozen=True, slots=True)
class SkillRow:
    """One line of the leaderboard. Equal costs have the same rank."""

    rank: int
    user_id: int
    name: str
    decisions: int
    per_hundred: int
    """The cost of 100 decisions, in millionths of a bet."""

    @property
    def cost(self) -> str:
        """The cost of 100 decisions, in bets."""
        return format_share(self.per_hundred)


@dataclass(frozen=True, slots=True)
class OwnSkill:
    """The skill of a player outside the leaderboard, and the missing decisions."""

    decisions: int
    per_hundred: int
    is_guest: bool
    is_listed: bool

    @property
    def cost(self) -> str:
        """The cost of 100 decisions, in bets."""
        return format_share(self.per_hundred)

    @property
    def decisions_left(self) -> int:
        """The number of decisions still missing."""
        return max(0, LISTED_FROM_DECISIONS - self.decisions)


def list_ranked() -> QuerySet[SkillStanding]:
    """The first :data:`PLACES`: players who want to be listed, without guests and closed accounts."""
    standings = SkillStanding.objects.filter(
        decisions__gte=LISTED_FROM_DECISIONS,
        is_listed=True,
        user__is_guest=False,
        user__approval__in=("", Approval.APPROVED),
        user__is_active=True,
    )
    return standings.select_related("user").order_by("per_hundred", "user")[:PLACES]


def list_rows() -> list[SkillRow]:
    """The lines of the leaderboard; equal costs are sorted by name."""
    return [
        SkillRow(rank, own.user_id, own.user.username, own.decisions, own.per_hundred)
        for rank, own in rank_standings(list_ranked(), is_most_first=False)
    ]


def load_own_skill(user: User) -> OwnSkill:
    """The skill of this player so far."""
    standing = SkillStanding.objects.filter(user=user).first() or SkillStanding()
    return OwnSkill(standing.decisions, standing.per_hundred, user.is_guest, standing.is_listed)


def is_listed(user: User) -> bool:
    """Whether the player wants to be on the leaderboard of skill."""
    return SkillStanding.objects.filter(user=user, is_listed=True).exists()


def set_listed(user: User, *, is_listed: bool) -> None:
    """Store whether the player wants to be on the leaderboard of skill."""
    own = SkillStanding.objects.filter(user=user)
    if not own.update(is_listed=is_listed) and is_listed:
        SkillStanding.objects.update_or_create(user=user, defaults={"is_listed": True})
