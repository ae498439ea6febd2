"""Matches: a fixed number of rounds with the same stack for everybody, and a winner."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from tables.engine.rules import Ruleset
from tables.models.invite_codes import LENGTH as CODE_LENGTH
from tables.models.invite_codes import generate_code


def may_be_duplicate(rules: Ruleset) -> bool:
    """Whether a match by these rules can be a duplicate match: each round has a shoe of its own."""
    return rules.stakes is not None and rules.cut_position is None and not rules.has_piles


class Match(models.Model):
    """A match at one table, or a duplicate match: the same sealed shoes at a table for each player."""

    class Kind(models.TextChoices):
        TABLE = "table", _("match")
        DUPLICATE = "duplicate", _("duplicate match")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting for players")
        RUNNING = "running", _("running")
        OVER = "over", _("over")
        BROKEN_OFF = "broken_off", _("broken off")
        """Ended without a winner."""

    kind = models.CharField(max_length=10, choices=Kind, default=Kind.TABLE)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    name = models.CharField(max_length=40)
    """The name of its table, or of its tables."""
    code = models.CharField(max_length=CODE_LENGTH, unique=True, default=generate_code)
    """The code of the link to its page."""
    maker = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    """The player who created it."""
    rounds = models.PositiveSmallIntegerField(null=True, blank=True)
    """The number of rounds; empty: until one player is left."""
    stack = models.PositiveBigIntegerField()
    """The chips of each player at the start, in hundredths."""
    played = models.PositiveSmallIntegerField(default=0)
    """The number of rounds that are over; of a duplicate match, the most that one player
    has played."""
    settings = models.JSONField(default=dict, blank=True)
    """The settings of the tables of a duplicate match, by name of the table's field."""
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_because = models.CharField(max_length=200, blank=True, default="")
    """Why it was broken off; in English, translated where it is shown."""
    secrets = models.JSONField(default=list, blank=True)
    """Of a duplicate match, the secret of the shoe of each round, in hexadecimal. Private until the
    match has ended."""
    rematch = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="rematch_of"
    )
    """The match that follows it, with the same settings and the same people."""

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "matches"
        constraints = [
            models.CheckConstraint(
                name="a_match_that_ended_has_an_end",
                condition=Q(state__in=["waiting", "running"], ended_at__isnull=True)
                | Q(state__in=["over", "broken_off"], ended_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"

    @property
    def is_duplicate(self) -> bool:
        return self.kind == self.Kind.DUPLICATE

    @property
    def has_ended(self) -> bool:
        """Whether it is over or broken off."""
        return self.ended_at is not None


class MatchPlayer(models.Model):
    """A player of a match, with the stack after the last round."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="players")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="matches")
    table: Any = models.ForeignKey(
        "tables.Table", on_delete=models.PROTECT, null=True, related_name="match_players"
    )
    """Where the player plays; empty before the start of a duplicate match."""
    seat = models.PositiveSmallIntegerField(default=1)
    played = models.PositiveSmallIntegerField(default=0)
    """The number of rounds at the player's table that are over."""
    stack = models.PositiveBigIntegerField(default=0)
    """In hundredths."""
    change = models.BigIntegerField(default=0)
    """The change of the stack by the last round, in hundredths."""
    out_in_round = models.PositiveSmallIntegerField(null=True, blank=True)
    """After which round the player was out; empty while in."""
    has_left = models.BooleanField(default=False)
    """Whether the player is out because of leaving."""
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    """The final place, from 1; players with equal results share one. Empty without a result."""

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["match", "user"], name="once_in_a_match"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.match}"
