"""Admin lists of the ledger. Money is never edited here."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import admin
from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin.read_only import ReadOnlyAdmin, money_column, parse_day
from accounts.ledger import days
from accounts.lib import names
from accounts.lib.ids import parse_id
from accounts.models import (
    Account,
    BookDay,
    Transfer,
    User,
    WalletEntry,
)


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "user", "hundredths")
    list_select_related = ("user",)
    fields = ("kind", "user", "hundredths")
    found_by = {"user": "user"}
    player_by = "user"
    search_help_text = _("By number, such as 7 or user:7, or by player name.")

    hundredths = money_column("balance", _("balance"))

    def search_rows(self, rows: QuerySet[Account], term: str) -> QuerySet[Account]:
        by_number = super().search_rows(rows, term)
        if parse_id(term) is None and ":" not in term:
            named = User.objects.filter(folded=names.folded(term))
            return rows.filter(user__in=named.values_list("pk", flat=True))
        return by_number


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "kind", "chips", "debit", "credit", "reference", "by")
    list_select_related = ("debit__user", "credit__user", "by")
    fields = (
        "kind", "chips", "debit", "debit_then", "credit", "credit_then", "reference", "at", "by",
        "reverses",
    )  # fmt: skip
    found_by = {"debit": "debit", "credit": "credit", "reverses": "reverses"}
    dated_by = "at"
    player_by = "debit__user"
    search_help_text = _(
        "By number, account (debit:7, credit:7), day (2026-11-21) or reference (round:7, user:7)."
    )

    chips = money_column("amount", _("amount"))
    debit_then = money_column("debit_balance", _("debit balance then"))
    credit_then = money_column("credit_balance", _("credit balance then"))

    def filter_player(self, rows: QuerySet[Transfer], player: User) -> QuerySet[Transfer]:
        """The transfers from and to the player's wallet."""
        wallets = list(Account.objects.filter(user=player).values_list("pk", flat=True))
        return rows.filter(Q(debit__in=wallets) | Q(credit__in=wallets))

    def search_rows(self, rows: QuerySet[Transfer], term: str) -> QuerySet[Transfer]:
        word = term.partition(":")[0]
        if parse_id(term) is not None or word in self.found_by:
            return super().search_rows(rows, term)
        day = parse_day(term)
        return _transfers_by_reference(rows, term) if day is None else _transfers_of_day(rows, day)


@admin.register(WalletEntry)
class WalletEntryAdmin(ReadOnlyAdmin):
    """Wallet entries, for users with the permission to view transfers."""

    list_display = ("id", "at", "kind", "chips", "wallet", "balance_then", "reference", "by")
    list_select_related = ("wallet__user", "transfer", "by")
    fields = (
        "kind", "chips", "wallet", "seq", "balance_then", "round", "reference", "at", "by",
        "transfer", "reverses",
    )  # fmt: skip
    found_by = {"round": "round", "transfer": "transfer", "reverses": "reverses"}
    dated_by = "at"
    player_by = "wallet__user"

    chips = money_column("amount", _("amount"))
    balance_then = money_column("balance", _("balance"))

    def filter_player(self, rows: QuerySet[WalletEntry], player: User) -> QuerySet[WalletEntry]:
        """Those of a wallet are in the order of its changes, which is that of the ids, by an index."""
        wallet = Account.objects.filter(user=player).values_list("pk", flat=True).first()
        return rows.filter(wallet=wallet or 0).order_by("-seq")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("accounts.view_transfer")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


def _transfers_of_day(rows: QuerySet[Transfer], day: dt.date) -> QuerySet[Transfer]:
    """The transfers of a day (UTC), which are a range of ids."""
    begins, ends = days.day_begins(day), days.day_ends(day)
    first, after = days.find_first_ids([begins, ends + days.LONGEST_WRITE])
    if first is None:
        return rows.none()
    # The range of ids uses the index; the times are exact.
    moments = rows.annotate(moment=Coalesce("at", "at"))
    rows = moments.filter(pk__gte=first, moment__gte=begins, moment__lte=ends)
    return rows if after is None else rows.filter(pk__lt=after)


def _transfers_by_reference(rows: QuerySet[Transfer], term: str) -> QuerySet[Transfer]:
    """The transfers with this reference, or with one that begins with it and a slash."""
    if connection.vendor != "sqlite":
        return rows.filter(Q(reference=term) | Q(reference__startswith=f"{term}/"))
    # A range of texts uses the index; "0" follows "/" in ASCII.
    return rows.filter(reference__gte=term, reference__lt=f"{term}0").filter(
        Q(reference=term) | Q(reference__gte=f"{term}/")
    )


@admin.register(BookDay)
class BookDayAdmin(ReadOnlyAdmin):
    list_display = ("day", "kind", "debit_kind", "credit_kind", "count", "sum")
    fields = list_display

    sum = money_column("amount", _("amount"))
