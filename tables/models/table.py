"""Tables and seats.

The row contains the whole table. :mod:`tables.game.commit` changes it, in one short transaction per
command.
"""

from __future__ import annotations

from functools import cached_property

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, User
from tables.engine.options import apply_stored
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.models.invite_codes import LENGTH as CODE_LENGTH
from tables.models.invite_codes import generate_code
from tables.models.matches import Match

TIME_BANKS = ((0, _("no time bank")), (30, _("30 seconds")), (60, _("60 seconds")))


class Table(models.Model):
    """A blackjack table and the whole live state of the game at it."""

    class Phase(models.TextChoices):
        BETTING = "betting", _("taking bets")
        """Between rounds. The deadline is set by the first bet."""
        PLAYING = "playing", _("in play")
        """A round is in play and waits for a decision."""

    name = models.CharField(max_length=40)
    rules_key = models.CharField(
        "rules", max_length=20, choices=[(key, _(rules.title)) for key, rules in PRESETS.items()]
    )
    rules_options = models.JSONField("options", default=dict, blank=True)
    """The changed options, by name of :data:`tables.engine.options.OPTIONS`."""
    betting_seconds = models.PositiveSmallIntegerField(default=20)
    turn_seconds = models.PositiveSmallIntegerField(default=30)
    rack = models.OneToOneField(Account, on_delete=models.PROTECT, related_name="+")

    maker = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="tables_made"
    )
    """The host; empty for the site's own tables."""
    is_private = models.BooleanField("private", default=False)
    """Without access the table does not exist for a user."""
    code = models.CharField(max_length=CODE_LENGTH, unique=True, default=generate_code)
    """The code of its invite link."""
    is_locked = models.BooleanField("locked", default=False)
    """Only the host may sit down."""
    has_chat = models.BooleanField("chat", default=True)
    has_hints = models.BooleanField("hints", default=True, db_default=True)
    """Whether players may turn hints on for their seats."""
    has_behind = models.BooleanField("bet behind", default=True, db_default=True)
    """Whether watchers may bet behind its seats, where the rules allow it: see
    :mod:`tables.state.behind`."""
    time_bank_seconds = models.PositiveSmallIntegerField(
        "time bank", default=0, db_default=0, choices=TIME_BANKS
    )
    """What the time bank of each player begins with; 0 for none."""
    is_closing = models.BooleanField(default=False)
    """Whether the round in play is the last one."""
    idle_minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    """At a private table: minutes without a bet before a seat is freed; empty for no limit."""
    opened_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    """The player who opened it; the host may have changed."""
    opened_at = models.DateTimeField(null=True, blank=True)
    """The time of opening; empty for old tables."""
    closed_at = models.DateTimeField(null=True, blank=True)
    """When it was closed permanently. Its rounds are kept."""
    paused_at = models.DateTimeField(null=True, blank=True)
    """When it was paused, by its host, an operator, or because its rack reached its fill limit."""
    paused_because = models.CharField(max_length=200, blank=True)
    """The reason, shown at the table."""
    is_paused_by_host = models.BooleanField("paused by the host", default=False, db_default=False)
    """Whether it is the host's pause: the host may end it, and it ends by itself."""
    announcement = models.CharField(max_length=200, blank=True)
    """The last announcement of an operator to this table."""
    announced_at = models.DateTimeField(null=True, blank=True)
    coming = models.JSONField(null=True, blank=True)
    """Pending settings by name of the field, applied before the next round."""
    coming_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    """The name of the host who has chosen the pending settings; empty for operators."""
    fill_limit = models.PositiveBigIntegerField("most automatic fills", null=True, blank=True)
    """The limit of automatic fills in hundredths, before the table pauses; empty for no limit."""
    auto_filled = models.PositiveBigIntegerField(default=0)
    """The automatic fills since an operator last reset them, in hundredths."""
    stack_size = models.PositiveBigIntegerField(null=True, blank=True)
    """At a table with chips of its own: the stack that everyone gets, in hundredths. Never changed."""
    top_ups = models.PositiveSmallIntegerField(default=0, db_default=0)
    """There: the number of further stacks that players may take themselves."""
    used_at = models.DateTimeField(auto_now_add=True)
    """The time of the last activity."""
    watchers = models.PositiveIntegerField(default=0)
    """The number of watchers, as last counted."""

    match = models.ForeignKey(
        Match, on_delete=models.PROTECT, null=True, blank=True, related_name="tables"
    )
    """The match that is played here, or was."""

    seq = models.PositiveBigIntegerField(default=0)
    """The number of changes of this table."""
    round_count = models.PositiveIntegerField(default=0)
    """The number of rounds dealt here; the last one has it as its number."""
    shoe_count = models.PositiveIntegerField(default=0)
    """The number of shoes sealed here; the shoe of the next card has it as its number."""
    turn = models.PositiveBigIntegerField(default=1)
    """The token of the current decision: a betting phase, or one decision on a hand."""
    phase = models.CharField(max_length=10, choices=Phase, default=Phase.BETTING)
    deadline_at = models.DateTimeField(null=True, blank=True)
    staked = models.BigIntegerField(default=0, db_default=0)
    """The stakes on the table with the dealer's matches, in hundredths."""
    rack_due = models.BigIntegerField(default=0, db_default=0)
    """What the rack has won in the round in play, less the bets that it matches, in hundredths. It
    gets that when the round is over."""
    state = models.TextField(default="{}")
    """The private state, with undealt cards. It must not appear in any page, log or message."""

    class Meta:
        ordering = ["id"]
        indexes = [
            # None of a column that commands write: then PostgreSQL would write all of them each time.
            models.Index(
                fields=["is_private"],
                name="open_tables_of_players",
                condition=Q(closed_at__isnull=True, maker__isnull=False),
            ),
            models.Index(
                fields=["paused_at"],
                name="pauses_of_hosts",
                condition=Q(is_paused_by_host=True),
            ),
        ]
        permissions = [
            ("run_table", "Can run any table and its chat"),
            ("fill_rack", "Can fill racks"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def has_chips(self) -> bool:
        """Whether everybody plays with chips of this table, and nobody with the own money."""
        return self.stack_size is not None

    @property
    def free_chips(self) -> int:
        """The chips of the rack that match no bet, in hundredths."""
        return self.rack.balance + self.rack_due

    @property
    def rules(self) -> Ruleset:
        return apply_stored(self.rules_key, self.rules_options)


class Stack(models.Model):
    """The chips that a player has at a table with chips of its own.

    It is kept when the player leaves, for the next time. When the table closes, its chips are returned
    to the bank.
    """

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="stacks")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="stacks")
    account = models.OneToOneField(Account, on_delete=models.PROTECT, related_name="stack")
    opened_at = models.DateTimeField()
    top_ups = models.PositiveSmallIntegerField(default=0)
    """The number of stacks after the first one."""
    asked_at = models.DateTimeField(null=True, blank=True)
    """When the player asked the host for another stack; empty after the answer."""

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["table", "user"], name="one_stack_a_player_and_table"),
        ]

    def __str__(self) -> str:
        return f"stack of {self.user} at {self.table}"


class Seat(models.Model):
    """A taken seat at a table. A free seat has no row."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="seats")
    stack = models.ForeignKey(
        Stack, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    """At a table with chips of its own."""
    missed_rounds = models.PositiveSmallIntegerField(default=0)
    """The number of consecutive rounds without a bet."""
    sat_at = models.DateTimeField()
    reminded_at = models.DateTimeField(null=True, blank=True)
    """The time of the player's last reminder."""
    away_since = models.DateTimeField(null=True, blank=True)
    """When the player's last page at this table was closed; empty while one is open."""
    idle_since = models.DateTimeField(null=True, blank=True)
    """Since when the player could have bet; a bet that is taken back does not count."""
    place = models.CharField(max_length=50, blank=True)
    """The network address of the player; see :mod:`tables.lib.network_address`."""
    has_hints = models.BooleanField(default=False, db_default=False)
    """The player's switch: each decision comes with what its actions are worth."""
    is_sitting_out = models.BooleanField(default=False, db_default=False)
    """The player's switch: no bet is asked, and rounds do not wait for the seat."""
    sat_out_since = models.DateTimeField(null=True, blank=True)
    """When the player first sat out since the last round that this seat was dealt in."""
    rounds_sat_out = models.PositiveSmallIntegerField(default=0, db_default=0)
    """The rounds since then that were sat out while others waited in line."""
    is_leaving = models.BooleanField(default=False)
    """The player left during a round: the seat is freed when it is settled."""
    won = models.PositiveIntegerField(default=0)
    """Hands won since sitting down; with the next two fields, the score without stakes."""
    lost = models.PositiveIntegerField(default=0)
    pushed = models.PositiveIntegerField(default=0)
    net = models.BigIntegerField(default=0)
    """The net result of the hands since sitting down, in hundredths."""

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="one_player_a_seat"),
            models.UniqueConstraint(fields=["table", "user"], name="one_seat_a_player_and_table"),
        ]

    def __str__(self) -> str:
        return f"seat {self.number} at {self.table}"

    @cached_property
    def account(self) -> Account:
        """The account of the player's bets here: the stack, or the wallet. It is looked up once, for a
        command asks for it often.
        """
        return self.user.wallet if self.stack is None else self.stack.account


class QueueEntry(models.Model):
    """A player in line for a seat at a full table; in the order of the ids."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="queue")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="queue_entries")
    joined_at = models.DateTimeField()
    place = models.CharField(max_length=50, blank=True)
    """The network address of the player, as in :class:`Seat`."""
    away_since = models.DateTimeField(null=True, blank=True)
    """When the player's last page at this table was closed; empty while one is open."""
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    """The number of the free seat that is offered to the player; empty while none is."""
    until = models.DateTimeField(null=True, blank=True)
    """The end of that offer."""

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "queue entries"
        constraints = [
            models.UniqueConstraint(fields=["table", "user"], name="once_in_line_at_a_table"),
            models.CheckConstraint(
                name="an_offer_of_a_seat_ends",
                condition=Q(seat__isnull=True, until__isnull=True)
                | Q(seat__isnull=False, until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in line at {self.table}"
