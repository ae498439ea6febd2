"""Grades: what the decisions of a player in a round cost, and the parts of the round's net."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec
from django.db import models
from django.db.models import Q, Sum

from accounts.models import User
from tables.models.play import Round
from tables.models.results import Result

LISTED_FROM_DECISIONS = 200
"""The minimum number of graded decisions for the leaderboard of skill."""
MILLIONTHS = 1_000_000
"""Values and costs are stored in millionths of a stake."""


class DamagedDecisions(ValueError):
    """A text that is not of graded decisions."""


class DecidedBy(StrEnum):
    """Who made a decision."""

    PLAYER = "player"
    CLOCK = "clock"
    """Time was up."""
    LEFT = "left"
    """The player had left the seat or was banned, which stands on all hands. A replay has ``SERVER`` for
    it.
    """
    SERVER = "house"
    """For a player who could not pay; in older grades also for one who had left."""


@dataclass(frozen=True, slots=True)
class GradedDecision:
    """A decision, the values of what was legal, and what it cost."""

    hand: int
    """The number of the hand at its seat, from 1."""
    action: str
    """What was done: a word of :class:`~tables.engine.actions.Action`."""
    by: DecidedBy
    cards: str
    """The cards of the hand before the decision."""
    stake: int
    """The stake of the hand before it, in hundredths."""
    values: dict[str, int]
    """In millionths of that stake, the best first; at ``piles`` of a card. Empty if the value
    cannot be computed, because the shoe may run out."""

    @property
    def best(self) -> str:
        """The action with the highest value."""
        return next(iter(self.values), self.action)

    @property
    def cost(self) -> int:
        """The value of the best action less that of what was done, in millionths of the stake."""
        return self.values[self.best] - self.values[self.action] if self.values else 0

    @property
    def money_cost(self) -> int:
        """The cost in hundredths."""
        return round_share(self.stake, self.cost)

    @property
    def is_own(self) -> bool:
        """Whether the decision counts as the player's: it has values, and is not the server's.

        Whoever lets the clock run out, or leaves, has decided to stand, or to decline.
        """
        return self.by is not DecidedBy.SERVER and bool(self.values)


def round_share(stake: int, millionths: int) -> int:
    """This share of a stake in hundredths, rounded half away from zero.

    >>> round_share(2500, 4_000), round_share(100, -5_000)
    (10, -1)
    """
    product = abs(stake * millionths)
    rounded = (product + MILLIONTHS // 2) // MILLIONTHS
    return rounded if millionths >= 0 else -rounded


def encode_decisions(decisions: list[GradedDecision]) -> str:
    """The text of the decisions of a player in a round, a JSON list."""
    return msgspec.json.encode(
        [[one.hand, one.action, one.by, one.cards, one.stake, one.values] for one in decisions]
    ).decode()


def decode_decisions(text: str) -> list[GradedDecision]:
    """The decisions of :func:`encode_decisions`. Raises :class:`DamagedDecisions`."""
    if not text:
        return []
    try:
        return [
            GradedDecision(hand, action, DecidedBy(by), *more)
            for hand, action, by, *more in msgspec.json.decode(text)
        ]
    except (ValueError, TypeError) as error:
        raise DamagedDecisions(str(error)) from error


class Grades(models.QuerySet["Grade"]):
    """Queries of grades."""

    def done(self) -> Grades:
        """The grades of rounds that could be graded."""
        return self.filter(fault="")

    def of_skill(self) -> Grades:
        """The grades that the leaderboard of skill counts.

        A cost at ``piles`` is in cards, and cannot be added to those in stakes and hands.
        """
        return self.done().filter(is_public=True, had_hints=False).exclude(rules_key="piles")


class UngradedRound(models.Model):
    """A counted round that waits for its grades.

    The transaction that counts the round inserts it, and the one that stores the grades deletes it,
    so a round waits for the worker (``tables/realtime/grading_worker.py``) whatever process ends in
    between.
    """

    # As of an uncounted round: the round is never deleted.
    round = models.OneToOneField(
        Round,
        on_delete=models.CASCADE,
        primary_key=True,
        db_constraint=False,
        related_name="+",
    )
    is_public = models.BooleanField(default=False)
    """Whether its table was public when it was counted, and has been since."""

    class Meta:
        ordering = ["round"]

    def __str__(self) -> str:
        return f"ungraded round {self.pk}"


class Grade(models.Model):
    """The grade of one player's round."""

    result = models.OneToOneField(
        Result, on_delete=models.CASCADE, primary_key=True, related_name="grade"
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+", db_index=False)
    rules_key = models.CharField(max_length=20)
    finished_at = models.DateTimeField()
    is_public = models.BooleanField(default=False)
    """Whether the table was public when the round was counted, and has been since."""
    had_hints = models.BooleanField(default=False, db_default=False)
    """Whether the player had hints in this round: then it does not count as skill."""
    fault = models.CharField(max_length=100, blank=True, default="")
    """Why it could not be graded, for operators; empty otherwise."""
    details = models.TextField(blank=True, default="")
    """The decisions, as :func:`encode_decisions` writes them."""
    decisions = models.PositiveSmallIntegerField(default=0)
    """The number of graded decisions that count as the player's."""
    mistakes = models.PositiveSmallIntegerField(default=0)
    """The number of those with a cost."""
    cost = models.BigIntegerField(default=0)
    """Their cost, in millionths of the stakes of their hands (at ``piles`` of cards)."""
    stake = models.BigIntegerField(default=0)
    """The first bet, in hundredths."""
    expectation = models.BigIntegerField(default=0)
    """The value of the game for that bet before the cards, in hundredths, like the next two. The
    net of the round is this and luck, less the cost of decisions."""
    luck = models.BigIntegerField(default=0)
    """What the cards brought beyond that."""
    money_cost = models.BigIntegerField(default=0)
    """What decisions cost: also those of the server, which are not luck of the cards."""
    variance = models.FloatField(default=0)
    """The square of the standard deviation of the net, in hundredths."""

    objects = Grades.as_manager()

    class Meta:
        ordering = ["-result"]
        indexes = [
            models.Index(fields=["user", "finished_at"], name="grades_of_a_player"),
        ]

    def __str__(self) -> str:
        return f"grade of result {self.pk}"

    def list_decisions(self) -> list[GradedDecision]:
        """The decisions at this seat, in their order. Raises :class:`DamagedDecisions`."""
        return decode_decisions(self.details)


def sum_skill(grades: Grades) -> dict[int, tuple[int, int]]:
    """The number of decisions and their cost in these grades, by user id."""
    sums = grades.order_by().values_list("user").annotate(n=Sum("decisions"), c=Sum("cost"))
    return {user_id: (int(number), int(cost)) for user_id, number, cost in sums if number}


class SkillStanding(models.Model):
    """A player's total cost of decisions at public tables, for the leaderboard of skill.

    Clearing the history does not change it, so mistakes cannot be removed that way.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="skill")
    is_listed = models.BooleanField(default=False, db_default=False)
    """Whether the player wants to be on the leaderboard of skill."""
    decisions = models.PositiveIntegerField(default=0)
    cost = models.BigIntegerField(default=0)
    """In millionths of a stake."""
    per_hundred = models.BigIntegerField(default=0)
    """The cost of 100 decisions, in millionths of a stake, rounded down."""

    class Meta:
        ordering = ["per_hundred", "user"]
        indexes = [
            models.Index(
                fields=["per_hundred", "user"],
                name="leaderboard_of_skill",
                condition=Q(decisions__gte=LISTED_FROM_DECISIONS, is_listed=True),
            ),
        ]

    def __str__(self) -> str:
        return f"skill of {self.user}"

    def add(self, decisions: int, cost: int) -> None:
        """Add decisions and their cost, or subtract negative ones."""
        self.decisions += decisions
        self.cost += cost
        self.per_hundred = self.cost * 100 // self.decisions if self.decisions else 0
