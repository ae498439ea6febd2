"""Who plays, and with what: users, accounts and the transfers between them.

Amounts are integer hundredths of a unit of play money. Balances change in :mod:`accounts.bank`
and nowhere else.
"""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy

NAME_TAKEN = gettext_lazy("Somebody plays under that name already.")


class User(AbstractUser):
    """Somebody who can log in: a player, an operator, or both."""

    username = models.CharField(
        gettext_lazy("name"),
        max_length=20,
        unique=True,
        validators=[ASCIIUsernameValidator()],
        help_text=gettext_lazy("20 characters at most: letters, digits and @ . + - _ only."),
        error_messages={"unique": NAME_TAKEN},
    )
    is_guest = models.BooleanField(gettext_lazy("guest"), default=False)
    """Plays under a made-up name, without a password: this browser's session is the only way in."""
    is_listed = models.BooleanField(gettext_lazy("on the leaderboard"), default=True)
    """Whether the leaderboard may show the name."""
    history_since = models.DateTimeField(null=True, blank=True, editable=False)
    """When the player emptied the history: what was played until then is not shown to them."""
    has_own_limits = models.BooleanField(default=False, editable=False)
    """Whether there ever was a :class:`OwnLimit`, so that others need not be asked about."""

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="username_unique_regardless_of_case",
                violation_error_message=NAME_TAKEN,
            ),
        ]


class Account(models.Model):
    """A place where play money lies. ``balance`` always equals the sum of its transfers."""

    class Kind(models.TextChoices):
        WALLET = "wallet", "wallet"
        """A player's own money."""
        RACK = "rack", "rack"
        """A table's own chips: what the dealer pays from and collects into."""
        POT = "pot", "pot"
        """What is staked at a table now; empty unless a round is open."""
        BANK = "bank", "bank"
        """Issues and takes back play money; the only account that may go below zero."""

    kind = models.CharField(max_length=6, choices=Kind)
    user = models.OneToOneField(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="wallet"
    )
    balance = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="only_the_bank_goes_below_zero", condition=Q(balance__gte=0) | Q(kind="bank")
            ),
            models.CheckConstraint(
                name="wallets_and_only_wallets_have_a_user",
                condition=Q(kind="wallet", user__isnull=False)
                | (~Q(kind="wallet") & Q(user__isnull=True)),
            ),
            models.UniqueConstraint(
                fields=["kind"], condition=Q(kind="bank"), name="there_is_one_bank"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}" if self.user is None else f"wallet of {self.user.username}"


class Transfer(models.Model):
    """Money moved from ``debit`` to ``credit``. The database refuses to change or delete one."""

    class Kind(models.TextChoices):
        GRANT = "grant", "starting money"
        STAKE = "stake", "stake"
        MATCH = "match", "dealer's match"
        PAYOUT = "payout", "payout"
        CREDIT = "credit", "lost stake"
        REFUND = "refund", "stake returned"
        FILL = "fill", "rack fill"
        REBUY = "rebuy", "play money taken back up"
        RETURN = "return", "returned with the account"

    kind = models.CharField(max_length=10, choices=Kind)
    debit = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="debits", db_index=False
    )
    credit = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="credits", db_index=False
    )
    amount = models.BigIntegerField()
    reference = models.CharField(max_length=80, unique=True)
    """What it is for, once and for all: ``round:812/seat:2/hand:1/payout``."""
    debit_balance = models.BigIntegerField()
    """What was left on ``debit`` afterwards."""
    credit_balance = models.BigIntegerField()
    """What was on ``credit`` afterwards."""
    at = models.DateTimeField()
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    """Whose command moved it; empty for the clock and the house."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="transfers_move_something", condition=Q(amount__gt=0)),
            models.CheckConstraint(
                name="transfers_have_two_sides", condition=~Q(debit=F("credit"))
            ),
        ]
        # The statement of an account walks these backwards, a page at a time.
        indexes = [
            models.Index(fields=["debit", "id"], name="transfers_out"),
            models.Index(fields=["credit", "id"], name="transfers_in"),
            models.Index(fields=["debit", "kind", "id"], name="transfers_out_by_kind"),
            models.Index(fields=["credit", "kind", "id"], name="transfers_in_by_kind"),
            models.Index(fields=["at"], name="transfers_by_time"),
        ]

    def __str__(self) -> str:
        return self.reference


class HouseSettings(models.Model):
    """What operators set for the whole house. There is one row, and a migration made it."""

    rebuy_hours = models.PositiveSmallIntegerField(
        "hours between rebuys",
        default=24,
        validators=[MinValueValidator(1)],
        help_text="A player who is out of play money may take some again once in so many hours.",
    )

    class Meta:
        verbose_name = verbose_name_plural = "settings of the house"
        constraints = [models.CheckConstraint(name="there_is_one_house", condition=Q(pk=1))]

    def __str__(self) -> str:
        return "settings of the house"


class OwnLimit(models.Model):
    """A limit that a player set for themselves. Of several that hold, the strictest counts."""

    class Kind(models.TextChoices):
        REMINDER = "reminder", gettext_lazy("reminder")
        """Minutes at a table after which the player is told the time and the result."""
        DAILY_LOSS = "daily_loss", gettext_lazy("daily loss")
        """Hundredths that may be lost in a day (UTC)."""
        BREAK = "break", gettext_lazy("break")
        """The first day (UTC) on which the player plays again, as its ordinal number."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="own_limits")
    kind = models.CharField(max_length=10, choices=Kind)
    value = models.BigIntegerField()
    set_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    """When it holds no longer, because something looser was set; empty while nothing was."""

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["user", "kind"], name="limits_of_a_player")]

    def __str__(self) -> str:
        return f"{self.kind} {self.value} of {self.user}"
