"""Results of rounds, tallies by day, and leaderboard totals.

All of it can be computed from the hands; it is written with them, so that no page has to.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from accounts.models import User
from tables.engine.events import Outcome
from tables.models.play import Round, Shoe
from tables.models.table import Table

WON = (Outcome.BLACKJACK, Outcome.WIN)
LOST = (Outcome.LOSE, Outcome.BUST, Outcome.SURRENDER)

VOID = "void"
"""The outcome of a result whose round was voided: it counts nowhere, and says 0 staked and paid."""

LISTED_FROM = 50
"""So many rounds somebody has played who is on the leaderboard."""


class Results(models.QuerySet["Result"]):
    """Results, and which of them their players are still shown."""

    def shown(self) -> Results:
        """Without what was played before its player emptied the history."""
        since = F("user__history_since")
        return self.filter(Q(user__history_since=None) | Q(finished_at__gt=since))

    def shown_to(self, user: User) -> Results:
        """The player's own, in a form by which their index is walked."""
        own = self.filter(user=user)
        return own.filter(finished_at__gt=user.history_since) if user.history_since else own


class Result(models.Model):
    """What one round was for one player. Amounts in hundredths, insurance included."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="results", db_index=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="results")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="+", db_index=False)
    game = models.ForeignKey(
        Shoe, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    """The shoe whose hands make one game, where there are games (piles)."""
    rules_key = models.CharField("rules", max_length=20)
    seat = models.PositiveSmallIntegerField()
    opens_game = models.BooleanField(default=True)
    """False for all but the player's first hand of a game: the history shows the game there.
    The first hand after the history was emptied opens the game that goes on once more.
    """
    finished_at = models.DateTimeField()
    decisions = models.PositiveSmallIntegerField()
    """What the player decided; what the clock did is not counted."""
    outcome = models.CharField(
        max_length=10,
        choices=[*((outcome.value, outcome.value) for outcome in Outcome), (VOID, VOID)],
    )
    """Of the hand; of several, what they came to together: ``win``, ``lose`` or ``push``."""
    stake = models.BigIntegerField()
    payout = models.BigIntegerField()

    objects = Results.as_manager()

    class Meta:
        ordering = ["-finished_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "round"], name="one_result_a_player_and_round"),
        ]
        # The history walks one of these backwards, whatever it is filtered by.
        indexes = [
            models.Index(
                fields=["user", "finished_at", "id"],
                name="results_of_a_player",
                condition=Q(opens_game=True),
            ),
            models.Index(
                fields=["user", "rules_key", "finished_at", "id"],
                name="results_by_rules",
                condition=Q(opens_game=True),
            ),
            models.Index(
                fields=["user", "table", "finished_at", "id"],
                name="results_by_table",
                condition=Q(opens_game=True),
            ),
            models.Index(
                fields=["user", "outcome", "finished_at", "id"],
                name="results_by_outcome",
                condition=Q(opens_game=True),
            ),
            models.Index(
                fields=["user", "game"],
                name="results_of_a_game",
                condition=Q(game__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.round}"

    @property
    def net(self) -> int:
        return self.payout - self.stake


class Tally(models.Model):
    """What a player's rounds of one day (UTC) came to, by rule set and in all.

    It goes when the player empties the history; what the house needs is in the hands.
    """

    ALL = ""
    """The ``rules_key`` of the row for all rule sets together."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tallies", db_index=False)
    rules_key = models.CharField(max_length=20, blank=True)
    day = models.DateField()
    rounds = models.PositiveIntegerField(default=0)
    won = models.PositiveIntegerField(default=0)
    lost = models.PositiveIntegerField(default=0)
    pushed = models.PositiveIntegerField(default=0)
    blackjacks = models.PositiveIntegerField(default=0)
    """Hands, as are the next three."""
    busts = models.PositiveIntegerField(default=0)
    doubles = models.PositiveIntegerField(default=0)
    splits = models.PositiveIntegerField(default=0)
    staked = models.BigIntegerField(default=0)
    net = models.BigIntegerField(default=0)
    biggest_win = models.BigIntegerField(default=0)
    """The most that one round won, net."""
    streak = models.PositiveIntegerField(default=0)
    """Rounds won in a row, with those of the days before, when this one's last was played."""
    longest_streak = models.PositiveIntegerField(default=0)
    """The most that ``streak`` was on this day."""

    class Meta:
        ordering = ["-day"]
        verbose_name_plural = "tallies"
        constraints = [
            models.UniqueConstraint(fields=["user", "rules_key", "day"], name="one_tally_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.day}"


class Standing(models.Model):
    """What somebody's staked rounds at public tables came to, for the leaderboard.

    Emptying the history does not touch it: nobody gets rid of losses that way.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="standing")
    rounds = models.PositiveIntegerField(default=0)
    net = models.BigIntegerField(default=0)
    per_hundred = models.BigIntegerField(default=0)
    """Net in hundredths per 100 rounds, rounded down."""

    class Meta:
        ordering = ["-per_hundred", "user"]
        indexes = [
            models.Index(
                fields=["-per_hundred", "user"],
                name="leaderboard",
                condition=Q(rounds__gte=LISTED_FROM),
            ),
        ]

    def __str__(self) -> str:
        return f"standing of {self.user}"
