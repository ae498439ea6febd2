"""Accounts, the transfers between them, and the entries of wallets.

Amounts are integer hundredths of a unit of play money. Only
:mod:`accounts.ledger.transfers` changes balances.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.lib.sql.time_index import TimeIndex
from accounts.models.users import User


class Account(models.Model):
    """An account of play money.

    The balance of a wallet or a stack is the sum of its entries, that of the bank the sum of its
    transfers, that of a rack the sum of its transfers and of the results of its table's rounds.
    """

    class Kind(models.TextChoices):
        WALLET = "wallet", _("wallet")
        """A player's own money."""
        RACK = "rack", _("rack")
        """The chips of a table's dealer."""
        STACK = "stack", _("stack")
        """The chips of one table that a player has there. They are worth nothing elsewhere."""
        BANK = "bank", _("bank")
        """Issues and takes back play money; the only account that may go below zero."""

    kind = models.CharField(max_length=6, choices=Kind)
    user = models.OneToOneField(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="wallet"
    )
    balance = models.BigIntegerField(default=0)
    seq = models.BigIntegerField(default=0, db_default=0)
    """The number of changes of the balance: of two published balances, the higher is newer. That of
    a wallet is the ``seq`` of its newest entry."""

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
            # The number alone would look like that of a table.
            values = {"kind": self.get_kind_display(), "number": self.pk}
            return gettext("%(kind)s (account %(number)s)") % values
        return gettext("wallet of %(name)s") % {"name": self.user.username}


WITH_ENTRIES = (Account.Kind.WALLET, Account.Kind.STACK)
"""The kinds of accounts whose every change has an entry."""


class Transfer(models.Model):
    """Money moved from ``debit`` to ``credit``, other than by play.

    The database refuses to change or delete one.
    """

    class Kind(models.TextChoices):
        """Why money moves. Bets, payouts and returned bets have entries and no transfers."""

        GRANT = "grant", _("starting chips")
        STAKE = "stake", _("bet")
        PAYOUT = "payout", _("payout")
        REFUND = "refund", _("returned bet")
        FILL = "fill", _("rack fill")
        REBUY = "rebuy", _("more chips")
        RETURN = "return", _("returned when the account was deleted")
        ADJUSTMENT = "adjustment", _("adjusted by an operator")
        REVERSAL = "reversal", _("reversed")
        BUY_IN = "buy_in", _("first stack of table chips")
        TOP_UP = "top_up", _("another stack of table chips")
        CASH_OUT = "cash_out", _("table chips returned to the bank")

    kind = models.CharField(max_length=10, choices=Kind)
    debit = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="debits", db_index=False
    )
    credit = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="credits", db_index=False
    )
    amount = models.BigIntegerField()
    reference = models.CharField(max_length=80, unique=True)
    """The unique purpose of the transfer: ``table:7/change:812/fill``."""
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


class WalletEntry(models.Model):
    """One change of a wallet or of a stack. The database refuses to change or delete one.

    An entry without a transfer belongs to a round: the other side are the stakes on its table, and
    the rack once the round is settled.
    """

    wallet = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="entries", db_index=False
    )
    seq = models.BigIntegerField()
    """The ``seq`` of the wallet afterwards, without gaps."""
    kind = models.CharField(max_length=10, choices=Transfer.Kind)
    amount = models.BigIntegerField()
    """In hundredths; negative out of the wallet."""
    balance = models.BigIntegerField()
    """The balance of the wallet afterwards."""
    at = models.DateTimeField()
    by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    """The user of the command; empty for deadlines and the server."""
    round = models.BigIntegerField(null=True)
    """The id of the round, for an entry without a transfer."""
    place = models.CharField(max_length=60, blank=True)
    """The unique purpose within the round: ``seat:2/hand:1/payout``; that of its reversal begins with
    ``void/``."""
    transfer = models.ForeignKey(
        Transfer, on_delete=models.PROTECT, null=True, related_name="entries", db_index=False
    )
    """The transfer of an entry that does not belong to a round."""
    reverses = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="reversals", db_index=False
    )
    """The entry that this one reverses, always the whole amount."""

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "wallet entries"
        constraints = [
            models.UniqueConstraint(fields=["wallet", "seq"], name="a_wallet_counts_its_entries"),
            models.UniqueConstraint(
                fields=["round", "place"],
                condition=Q(round__isnull=False),
                name="entries_of_a_round_are_unique",
            ),
            models.UniqueConstraint(
                fields=["transfer"],
                condition=Q(transfer__isnull=False),
                name="a_transfer_has_one_entry",
            ),
            models.UniqueConstraint(
                fields=["reverses"],
                condition=Q(reverses__isnull=False),
                name="entries_are_reversed_once",
            ),
            models.CheckConstraint(
                name="entries_have_a_round_or_a_transfer",
                condition=Q(round__isnull=False, transfer__isnull=True)
                | Q(round__isnull=True, transfer__isnull=False, place=""),
            ),
            models.CheckConstraint(
                name="reversals_and_only_they_reverse_an_entry",
                condition=Q(kind="reversal", reverses__isnull=False)
                | (~Q(kind="reversal") & Q(reverses__isnull=True)),
            ),
            models.CheckConstraint(name="entries_change_something", condition=~Q(amount=0)),
            models.CheckConstraint(name="entries_end_at_zero_or_more", condition=Q(balance__gte=0)),
        ]
        indexes = [
            # A filter of a statement by another kind than these would read the whole wallet.
            models.Index(
                fields=["wallet", "kind", "seq"],
                name="entries_by_rare_kind",
                condition=~Q(kind__in=["stake", "payout"]),
            ),
            TimeIndex(fields=["at"], name="entries_by_time"),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """The unique purpose: ``round:812/seat:2/hand:1/payout``, or that of the transfer."""
        if self.transfer is not None:
            return self.transfer.reference
        if self.reverses_id is not None:
            return f"void:{self.round}/{self.place.removeprefix('void/')}"
        return f"round:{self.round}/{self.place}"


class BookDay(models.Model):
    """The sum of what moved between two kinds of accounts in a past gaming day.

    Stakes on a table count with the racks.
    """

    day = models.DateField()
    kind = models.CharField(max_length=10, choices=Transfer.Kind)
    debit_kind = models.CharField(max_length=6, choices=Account.Kind)
    credit_kind = models.CharField(max_length=6, choices=Account.Kind)
    count = models.PositiveBigIntegerField()
    amount = models.BigIntegerField()

    class Meta:
        ordering = ["day", "id"]
        verbose_name = _("daily total")
        verbose_name_plural = _("daily totals")
        constraints = [
            models.UniqueConstraint(
                fields=["day", "kind", "debit_kind", "credit_kind"], name="a_day_is_summed_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.day}"
