"""Who plays, and with what: users, accounts and the transfers between them.

Amounts are integer hundredths of a unit of play money. Balances change in :mod:`accounts.bank`
and nowhere else.
"""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import ASCIIUsernameValidator
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

    kind = models.CharField(max_length=10, choices=Kind)
    debit = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="debits")
    credit = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="credits")
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

    def __str__(self) -> str:
        return self.reference
