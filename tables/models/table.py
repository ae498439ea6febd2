"""Tables and seats.

A table's row *is* the table: :mod:`tables.game.commit` changes it, one short transaction a command.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, User
from tables.engine.options import applied
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.models.invite_codes import LENGTH as CODE_LENGTH
from tables.models.invite_codes import new_code


class Table(models.Model):
    """A blackjack table and the whole live state of the game at it."""

    class Phase(models.TextChoices):
        BETTING = "betting", _("taking bets")
        """Between rounds. The clock runs from the first bet on."""
        PLAYING = "playing", _("in play")
        """Cards are dealt and a hand is asked for a decision."""

    name = models.CharField(max_length=40)
    rules_key = models.CharField(
        "rules", max_length=20, choices=[(key, _(rules.title)) for key, rules in PRESETS.items()]
    )
    rules_options = models.JSONField("options", default=dict, blank=True)
    """What is played differently here, by name of :data:`tables.engine.options.OPTIONS`."""
    betting_seconds = models.PositiveSmallIntegerField(default=20)
    turn_seconds = models.PositiveSmallIntegerField(default=30)
    rack = models.OneToOneField(Account, on_delete=models.PROTECT, related_name="+")
    pot = models.OneToOneField(Account, on_delete=models.PROTECT, related_name="+")

    maker = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="tables_made"
    )
    """Who runs the table; empty for the house's own."""
    is_private = models.BooleanField("private", default=False)
    """Whoever has not its code is told that there is no such table."""
    code = models.CharField(max_length=CODE_LENGTH, unique=True, default=new_code)
    """The key of its invite link."""
    is_locked = models.BooleanField("locked", default=False)
    """Nobody new may sit down."""
    has_chat = models.BooleanField("chat", default=True)
    is_closing = models.BooleanField(default=False)
    """The round that is being played is the last one."""
    idle_minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    """At a private table: after so many minutes without a bet a seat is freed; empty for never."""
    opened_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    """Which player opened it; who runs it may be somebody else by now."""
    opened_at = models.DateTimeField(null=True, blank=True)
    """When that was; empty for the house's own, and for tables of before."""
    closed_at = models.DateTimeField(null=True, blank=True)
    """When it was put away for good. Its rounds are kept."""
    paused_at = models.DateTimeField(null=True, blank=True)
    """Since when no round begins, because an operator or an empty rack stopped it."""
    paused_because = models.CharField(max_length=200, blank=True)
    """What everybody at the table is told."""
    announcement = models.CharField(max_length=200, blank=True)
    """What an operator told this table last."""
    announced_at = models.DateTimeField(null=True, blank=True)
    coming = models.JSONField(null=True, blank=True)
    """What operators have changed by name of the field; it holds from the next round on."""
    fill_limit = models.PositiveBigIntegerField("most automatic fills", null=True, blank=True)
    """So many hundredths the rack takes from the bank by itself before the table pauses; empty
    for any amount."""
    auto_filled = models.PositiveBigIntegerField(default=0)
    """What it has taken since an operator last saw to it."""
    used_at = models.DateTimeField(auto_now_add=True)
    """When something happened at it last."""
    watchers = models.PositiveIntegerField(default=0)
    """How many people look on without a seat, as last counted."""

    seq = models.PositiveBigIntegerField(default=0)
    """How many changes this table has seen; every change adds one."""
    turn = models.PositiveBigIntegerField(default=1)
    """The token of the present decision: a betting window, or one choice about one hand."""
    phase = models.CharField(max_length=10, choices=Phase, default=Phase.BETTING)
    deadline_at = models.DateTimeField(null=True, blank=True)
    state = models.TextField(default="{}")
    """The private state, undealt cards included. Shown to nobody, in no page, log or message."""

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["deadline_at"],
                name="tables_with_a_clock",
                condition=Q(deadline_at__isnull=False),
            ),
            models.Index(
                fields=["used_at"],
                name="tables_that_may_be_unused",
                condition=Q(closed_at__isnull=True, maker__isnull=False),
            ),
        ]
        permissions = [
            ("run_table", "Can run any table and its chat"),
            ("fill_rack", "Can fill racks"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> Ruleset:
        return applied(self.rules_key, self.rules_options)


class Seat(models.Model):
    """A place at a table that somebody has taken. A free seat has no row."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="seats")
    missed_rounds = models.PositiveSmallIntegerField(default=0)
    """Rounds in a row that were dealt without a bet from here."""
    sat_at = models.DateTimeField()
    reminded_at = models.DateTimeField(null=True, blank=True)
    """When the player was last told how long they play, because they wished to be."""
    away_since = models.DateTimeField(null=True, blank=True)
    """Since when no page of the player is open at this table; empty while one is."""
    idle_since = models.DateTimeField(null=True, blank=True)
    """Since when nobody kept the player from betting; a bet that is taken back does not count."""
    place = models.CharField(max_length=50, blank=True)
    """Where the player came from; see :mod:`tables.lib.network_address`."""
    is_leaving = models.BooleanField(default=False)
    """The player quit in mid-round: the seat is freed when the round is settled."""
    won = models.PositiveIntegerField(default=0)
    """Hands won since sitting down; with the next two, the score where nothing is staked."""
    lost = models.PositiveIntegerField(default=0)
    pushed = models.PositiveIntegerField(default=0)
    net = models.BigIntegerField(default=0)
    """What the hands since sitting down have won or lost, in hundredths."""

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="one_player_a_seat"),
            models.UniqueConstraint(fields=["table", "user"], name="one_seat_a_player_and_table"),
        ]

    def __str__(self) -> str:
        return f"seat {self.number} at {self.table}"
