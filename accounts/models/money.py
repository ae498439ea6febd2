"""Accounts and the transfers between them.

Amounts are integer hundredths of a unit of play money. Only
:mod:`accounts.ledger.transfers` changes balances.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models.users import User


class Account(models.Model):
    """An account of play money. ``balance`` always equals the sum of its transfers."""

    class Kind(models.TextChoices):
        WALLET = "wallet", _("wallet")
        """A player's own money."""
        RACK = "rack", _("rack")
        """The chips of a table's dealer."""
        POT = "pot", _("pot")
        """The current stakes at a table; empty unless a round is open."""
        BANK = "bank", _("bank")
        """Issues and takes back play money; the only account that may go below zero."""

    kind = models.CharField(max_length=6, choices=Kind)
    user = models.OneToOneField(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="wallet"
    )
    balance = models.BigIntegerField(default=0)
    seq = models.BigIntegerField(default=0, db_default=0)
    """The number of changes of the balance: of two published balances, the higher is newer."""

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
        if self.user is None:
            return f"{self.get_kind_display()} {self.pk}"
        return gettext("wallet of %(name)s") % {"name": self.user.username}


class Transfer(models.Model):
    """Money moved from ``debit`` to ``credit``. The database refuses to change or delete one."""

    class Kind(models.TextChoices):
        GRANT = "grant", _("starting chips")
        STAKE = "stake", _("bet")
        MATCH = "match", _("dealer's match")
        PAYOUT = "payout", _("payout")
        CREDIT = "credit", _("lost bet")
        REFUND = "refund", _("returned bet")
        FILL = "fill", _("rack fill")
        REBUY = "rebuy", _("more chips")
        RETURN = "return", _("returned when the account was deleted")
        ADJUSTMENT = "adjustment", _("adjusted by an operator")
        REVERSAL = "reversal", _("reversed")

    kind = models.CharField(max_length=10, choices=Kind)
    debit = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="debits", db_index=False
    )
    credit = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="credits", db_index=False
    )
    amount = models.BigIntegerField()
    reference = models.CharField(max_length=80, unique=True)
    """The unique purpose of the transfer: ``round:812/seat:2/hand:1/payout``."""
    debit_balance = models.BigIntegerField()
    """The balance of ``debit`` afterwards."""
    credit_balance = models.BigIntegerField()
    """The balance of ``credit`` afterwards."""
    at = models.DateTimeField()
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    """The user of the command; empty for deadlines and the server."""
    reverses = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="reversals", db_index=False
    )
    """The transfer that this one reverses, always the whole amount."""

    class Meta:
        ordering = ["-id"]
        permissions = [
            ("adjust_wallet", "Can adjust wallets, within the limits of the house"),
            ("adjust_without_limit", "Can adjust wallets by any amount"),
        ]
        constraints = [
            models.CheckConstraint(
                name="reversals_and_only_they_reverse_something",
                condition=Q(kind="reversal", reverses__isnull=False)
                | (~Q(kind="reversal") & Q(reverses__isnull=True)),
            ),
            models.UniqueConstraint(
                fields=["reverses"],
                condition=Q(reverses__isnull=False),
                name="transfers_are_reversed_once",
            ),
            models.CheckConstraint(name="transfers_move_something", condition=Q(amount__gt=0)),
            models.CheckConstraint(
                name="transfers_have_two_sides", condition=~Q(debit=F("credit"))
            ),
        ]
        # A statement reads these in descending order, a page at a time.
        indexes = [
            models.Index(fields=["debit", "id"], name="transfers_out"),
            models.Index(fields=["credit", "id"], name="transfers_in"),
            models.Index(fields=["debit", "kind", "id"], name="transfers_out_by_kind"),
            models.Index(fields=["credit", "kind", "id"], name="transfers_in_by_kind"),
            models.Index(fields=["at"], name="transfers_by_time"),
        ]

    def __str__(self) -> str:
        return self.reference


class BookDay(models.Model):
    """The sum of transfers between two kinds of accounts in a past day (UTC)."""

    day = models.DateField()
    kind = models.CharField(max_length=10, choices=Transfer.Kind)
    debit_kind = models.CharField(max_length=6, choices=Account.Kind)
    credit_kind = models.CharField(max_length=6, choices=Account.Kind)
    count = models.PositiveBigIntegerField()
    amount = models.BigIntegerField()

    class Meta:
        ordering = ["day", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["day", "kind", "debit_kind", "credit_kind"], name="a_day_is_summed_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.day}"
