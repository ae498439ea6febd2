"""Results of rounds with their hands, tallies by day, and leaderboard totals.

All of it follows from the hands, and is stored so that pages need not compute it: results together
with the hands, tallies and standings soon afterwards (``tables/results/projector.py``).
"""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from accounts.models import User
from tables.engine.events import Outcome
from tables.models.hands import DamagedHands, Hand, decode_hands
from tables.models.play import Round, Shoe
from tables.models.table import Table

WON = (Outcome.BLACKJACK, Outcome.WIN)
LOST = (Outcome.LOSE, Outcome.BUST, Outcome.SURRENDER)

VOID = "void"
"""The outcome of a result of a void round: it does not count, and its stake and payout are 0."""

# Alternatives, as SQLite uses a partial index only for one of them.
_IS_RARE = (
    Q(outcome=Outcome.BLACKJACK.value)
    | Q(outcome=Outcome.PUSH.value)
    | Q(outcome=Outcome.SURRENDER.value)
    | Q(outcome=VOID)
)

LISTED_FROM = 50
"""The minimum number of rounds for the leaderboard."""


class Results(models.QuerySet["Result"]):
    """Queries of results, with the visible history and the hands."""

    def own(self) -> Results:
        """Exclude bets behind: the results of hands that their user has played."""
        return self.filter(is_behind=False)

    def with_hands(self) -> Results:
        """Exclude results of aborted rounds, which have no hands."""
        return self.exclude(hands="")

    def list_hands(self) -> list[Hand]:
        """The hands of these results, in the order of rounds, seats and numbers, each seat's own
        before those of its backers.
        """
        results = self.order_by("round_id", "seat", "is_behind", "user_id")
        results = results.only("round_id", "seat", "user_id", "is_behind", "hands")
        return [hand for result in results for hand in result.list_hands()]

    def shown(self) -> Results:
        """Exclude results from before their player cleared the history."""
        since = F("user__history_since")
        return self.filter(Q(user__history_since=None) | Q(finished_at__gt=since))

    def shown_to(self, user: User) -> Results:
        """The visible results of a player, in a form that uses their index."""
        own = self.filter(user=user)
        return own.filter(finished_at__gt=user.history_since) if user.history_since else own

    def counted(self) -> Results:
        """Exclude results that tallies and standings do not contain: those that wait, and those of
        rounds with chips of a table.
        """
        waiting = UncountedRound.objects.filter(pk=OuterRef("round"))
        return self.filter(~Exists(waiting), table__stack_size=None)


class Result(models.Model):
    """The result of one round for one player, and the hands. Amounts in hundredths, with insurance."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="results", db_index=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="results")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="+", db_index=False)
    game = models.ForeignKey(
        Shoe, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    """The shoe of the game, in rule sets with games (piles)."""
    rules_key = models.CharField("rules", max_length=20)
    seat = models.PositiveSmallIntegerField()
    opens_game = models.BooleanField(default=True)
    """True for the player's first hand of a game, where the history shows the game. The first hand
    after a cleared history opens the current game again.
    """
    finished_at = models.DateTimeField()
    decisions = models.PositiveSmallIntegerField()
    """The number of the player's own decisions, without timeouts."""
    had_hints = models.BooleanField(default=False, db_default=False)
    """Whether the player had hints on at any time between the deal and the settlement."""
    is_behind = models.BooleanField(default=False, db_default=False)
    """Whether it is a bet behind: another player has played the hands, and the stakes and payouts are
    those of this user."""
    outcome = models.CharField(
        max_length=10,
        choices=[*((outcome.value, outcome.value) for outcome in Outcome), (VOID, VOID)],
    )
    """The outcome of the hand; of several, ``win``, ``lose`` or ``push`` by their total."""
    stake = models.BigIntegerField()
    payout = models.BigIntegerField()
    hands = models.TextField(blank=True, default="")
    """The hands as :func:`~tables.models.hands.encode_hands` writes them, also of a void round;
    empty for an aborted round."""

    objects = Results.as_manager()

    class Meta:
        ordering = ["-finished_at", "-id"]
        # The hands had a table of their own, and roles have the permission to see them.
        permissions = [("view_hand", "Can view hand")]
        constraints = [
            # Also for the rounds of a player in the order of their ids.
            models.UniqueConstraint(fields=["user", "round"], name="one_result_a_player_and_round"),
        ]
        indexes = [
            # The history, newest first. Table and rule set are in it, so that a rare one is found
            # among many rounds without their rows.
            models.Index(
                fields=["user", "finished_at", "table", "rules_key"],
                name="results_of_a_player",
                condition=Q(opens_game=True),
            ),
            # The history with an outcome that may be rare; the others are frequent everywhere.
            models.Index(
                fields=["user", "outcome", "finished_at"],
                name="results_of_rare_outcomes",
                condition=Q(opens_game=True) & _IS_RARE,
            ),
            # The games of a player, newest first, and the hands of a game.
            models.Index(
                fields=["user", "finished_at"],
                name="games_of_a_player",
                condition=Q(opens_game=True, game__isnull=False),
            ),
            models.Index(
                fields=["user", "game"],
                name="results_of_a_game",
                condition=Q(game__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.round}"

    def list_hands(self) -> list[Hand]:
        """The settled hands, in the order of their numbers. Raises ``DamagedHands``."""
        return decode_hands(
            self.hands,
            round_id=self.round_id,
            seat=self.seat,
            user_id=self.user_id,
            is_behind=self.is_behind,
        )

    def list_readable_hands(self) -> list[Hand]:
        """The settled hands, and none if they are damaged: the audit finds that they are missing."""
        try:
            return self.list_hands()
        except DamagedHands:
            return []

    @property
    def net(self) -> int:
        return self.payout - self.stake


class Tally(models.Model):
    """The totals of a player's rounds on one gaming day, by rule set and over all.

    It is deleted when the player clears the history; the books use the hands.
    """

    ALL = ""
    """The ``rules_key`` of the row over all rule sets."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tallies", db_index=False)
    rules_key = models.CharField(max_length=20, blank=True)
    day = models.DateField()
    rounds = models.PositiveIntegerField(default=0)
    won = models.PositiveIntegerField(default=0)
    lost = models.PositiveIntegerField(default=0)
    pushed = models.PositiveIntegerField(default=0)
    blackjacks = models.PositiveIntegerField(default=0)
    """Hands, like the next three fields."""
    busts = models.PositiveIntegerField(default=0)
    doubles = models.PositiveIntegerField(default=0)
    splits = models.PositiveIntegerField(default=0)
    staked = models.BigIntegerField(default=0)
    net = models.BigIntegerField(default=0)
    biggest_win = models.BigIntegerField(default=0)
    """The largest net win of a round."""
    streak = models.PositiveIntegerField(default=0)
    """Rounds won in a row after the last round of this day, with those of the days before."""
    longest_streak = models.PositiveIntegerField(default=0)
    """The maximum of ``streak`` on this day."""
    last_at = models.DateTimeField(null=True)
    """When the last counted round ended; empty in rows of old days. A round that ended before it
    and is counted later changes the streaks in between.
    """

    class Meta:
        ordering = ["-day"]
        verbose_name_plural = "tallies"
        constraints = [
            models.UniqueConstraint(fields=["user", "rules_key", "day"], name="one_tally_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.day}"


class Standing(models.Model):
    """The total of a player's staked rounds at public tables, for the leaderboard.

    Clearing the history does not change it, so losses cannot be removed that way.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="standing")
    rounds = models.PositiveIntegerField(default=0)
    net = models.BigIntegerField(default=0)
    per_hundred = models.BigIntegerField(default=0)
    """Net per 100 rounds in hundredths, rounded down."""

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


class UncountedRound(models.Model):
    """A settled round that tallies, standings and takings do not contain yet.

    The transaction that settles the round inserts it, and the one that counts the round deletes it.
    A watermark of ids would not do: on PostgreSQL a round may be committed after one with a higher
    id, and would be skipped. A row that can be read is always that of a committed round.
    """

    # The round is inserted earlier and never deleted, so the database need not check it each time.
    round = models.OneToOneField(
        Round,
        on_delete=models.CASCADE,
        primary_key=True,
        db_constraint=False,
        related_name="+",
    )

    class Meta:
        ordering = ["round"]

    def __str__(self) -> str:
        return f"uncounted round {self.pk}"
