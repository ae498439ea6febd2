"""Audit of the ledger: the balance of every account, recomputed from its entries or transfers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import connection
from django.db.models import Exists, F, Max, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from accounts.ledger import daily_totals
from accounts.models import (
    WITH_ENTRIES,
    Account,
    Act,
    BookDay,
    HouseSettings,
    Transfer,
    WalletEntry,
)

T = TypeVar("T")
ReportProgress = Callable[[str, int, int], None]
"""A progress callback: the step, its finished rows, and all its rows; 0 for a single statement
without progress."""

_ROWS_PER_REPORT = 1_000


def ignore_progress(step: str, count: int, of: int) -> None:
    """Ignore the progress."""


def with_progress(rows: Iterable[T], report: ReportProgress, step: str, of: int) -> Iterator[T]:
    """Yield the rows of a step, and report the progress regularly."""
    report(step, 0, of)
    for count, row in enumerate(rows, start=1):
        yield row
        if count % _ROWS_PER_REPORT == 0:
            report(step, count, of)


@contextmanager
def read_snapshot() -> Iterator[None]:
    """Read a snapshot of one moment, without blocking play."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("BEGIN")  # atomic() would take SQLite's write lock
        else:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SET LOCAL statement_timeout = 0")
            # The transaction is idle while a chunk of rows is processed.
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def find_faults(report: ReportProgress = ignore_progress) -> Iterator[str]:
    """Yield a sentence for each error, the most serious first."""
    report("balances", 0, 0)
    yield from _find_balance_faults()
    yield from _find_chain_faults(report)
    report("transfers", 0, 0)
    yield from _find_entry_faults()
    yield from _find_rebuy_faults()
    yield from _find_reversal_faults()
    yield from _find_unrecorded_adjustments()
    report("book_days", 0, 0)
    yield from _find_daily_total_faults()


def _find_balance_faults() -> Iterator[str]:
    """Balances that differ from the sum of their entries or transfers.

    Racks also have the results of rounds, which are not known here.
    """
    entries = WalletEntry.objects.filter(wallet=OuterRef("pk")).order_by().values("wallet")
    entry_sum = Coalesce(Subquery(entries.annotate(sum=Sum("amount")).values("sum")), 0)
    wallets = Account.objects.filter(kind__in=WITH_ENTRIES)
    moved = Coalesce(sum_transfers("credit"), 0) - Coalesce(sum_transfers("debit"), 0)
    banks = Account.objects.filter(kind=Account.Kind.BANK)
    for accounts in (wallets.annotate(made=entry_sum), banks.annotate(made=moved)):
        for account in accounts.exclude(balance=F("made")).order_by("pk").iterator():
            yield describe_balance(account, account.made)
    below = Account.objects.filter(balance__lt=0).exclude(kind=Account.Kind.BANK)
    for overdrawn in below.order_by("pk").iterator():
        sentence = _("account %(id)s (%(account)s) is below zero: %(held)s")
        yield sentence % {
            "id": overdrawn.pk,
            "account": _name(overdrawn),
            "held": overdrawn.balance,
        }


def describe_balance(account: Account, total: int) -> str:
    """The sentence for a balance that should be ``total``."""
    sentence = _("account %(id)s (%(account)s) holds %(held)s, but its transfers make %(made)s")
    values = {"account": _name(account), "held": account.balance, "made": total}
    return sentence % {"id": account.pk, **values}


def _name(account: Account) -> str:
    """What stands beside its number."""
    return str(account) if account.user is not None else account.get_kind_display()


def sum_transfers(side: str) -> Subquery:
    """The sum of the transfers of an account on one side."""
    own = Transfer.objects.filter(**{side: OuterRef("pk")}).order_by().values(side)
    return Subquery(own.annotate(sum=Sum("amount")).values("sum"))


def _find_chain_faults(report: ReportProgress) -> Iterator[str]:
    """Entries whose stored balance or number does not follow from the one before."""
    entries = WalletEntry.objects.order_by("wallet", "seq").values_list(
        "pk", "wallet", "seq", "amount", "balance"
    )
    before: tuple[int, int, int] = (0, 0, 0)
    newest: dict[int, int] = {}
    rows = entries.iterator(chunk_size=5_000)
    for pk, wallet, seq, amount, entry_balance in with_progress(
        rows, report, "chains", WalletEntry.objects.count()
    ):
        last_wallet, last_seq, balance = before
        total = amount + (balance if wallet == last_wallet else 0)
        if entry_balance != total:
            yield _describe_entry(pk, wallet, entry_balance, total)
        if wallet == last_wallet and seq != last_seq + 1:
            sentence = _("account %(account)s has no entry between %(before)s and %(seq)s")
            yield sentence % {"account": wallet, "before": last_seq, "seq": seq}
        before = wallet, seq, entry_balance
        newest[wallet] = seq
    wallets = Account.objects.filter(kind__in=WITH_ENTRIES).order_by("pk")
    for pk, seq in wallets.values_list("pk", "seq").iterator():
        if newest.get(pk, 0) != seq:
            sentence = _("account %(account)s is at %(seq)s, but its last entry is %(last)s")
            yield sentence % {"account": pk, "seq": seq, "last": newest.get(pk, 0)}


def _describe_entry(pk: int, wallet: int, balance: int, total: int) -> str:
    sentence = _(
        "transfer %(id)s (%(reference)s) says account %(account)s held %(said)s "
        "afterwards, but the transfers up to it make %(made)s"
    )
    reference = WalletEntry.objects.select_related("transfer").get(pk=pk).reference
    return sentence % {
        "id": pk, "reference": reference, "account": wallet, "said": balance, "made": total,
    }  # fmt: skip


def _find_entry_faults() -> Iterator[str]:
    """Transfers of wallets and stacks whose entry is missing or differs."""
    for side, sign in (("debit", -1), ("credit", 1)):
        moved = Transfer.objects.filter(**{f"{side}__kind__in": WITH_ENTRIES})
        right = WalletEntry.objects.filter(
            transfer=OuterRef("pk"),
            wallet=OuterRef(side),
            kind=OuterRef("kind"),
            amount=OuterRef("amount") * sign,
            balance=OuterRef(f"{side}_balance"),
        )
        wrong = moved.filter(~Exists(right)).order_by("pk")
        for pk, reference in wrong.values_list("pk", "reference").iterator():
            sentence = _("transfer %(id)s (%(reference)s) has no such entry in its wallet")
            yield sentence % {"id": pk, "reference": reference}


def _find_rebuy_faults() -> Iterator[str]:
    """Rebuys that did not end at an amount that the site ever had for them."""
    amounts = HouseSettings.objects.get(pk=1).rebuy_amounts
    rebuys = Transfer.objects.filter(kind=Transfer.Kind.REBUY)
    wrong = rebuys.exclude(credit_balance__in=amounts)
    for transfer in wrong.order_by("pk").iterator():
        sentence = _(
            "transfer %(id)s (%(reference)s) brought a wallet to %(balance)s, and a rebuy brings "
            "it to %(grant)s"
        )
        yield sentence % {
            "id": transfer.pk, "reference": transfer.reference,
            "balance": transfer.credit_balance, "grant": ", ".join(map(str, amounts)),
        }  # fmt: skip


def _find_reversal_faults() -> Iterator[str]:
    """Reversals that are not their original with the sides exchanged."""
    reversals = Transfer.objects.filter(kind=Transfer.Kind.REVERSAL).select_related("reverses")
    for reversal in reversals.order_by("pk").iterator():
        original = reversal.reverses
        assert original is not None
        there = reversal.debit_id, reversal.credit_id, reversal.amount
        is_same = there == (original.credit_id, original.debit_id, original.amount)
        yield from _describe_reversal(reversal, original, is_same=is_same)
    entries = WalletEntry.objects.filter(reverses__isnull=False, transfer=None)
    for back in entries.select_related("reverses").order_by("pk").iterator():
        entry = back.reverses
        assert entry is not None
        moved_back = back.wallet_id, back.round, -back.amount
        is_same = moved_back == (entry.wallet_id, entry.round, entry.amount)
        yield from _describe_reversal(back, entry, is_same=is_same)


def _describe_reversal(
    reversal: Transfer | WalletEntry, original: Transfer | WalletEntry, *, is_same: bool
) -> Iterator[str]:
    if original.kind == Transfer.Kind.REVERSAL:
        sentence = _("transfer %(id)s (%(reference)s) reverses a reversal")
        yield sentence % {"id": reversal.pk, "reference": reversal.reference}
    if not is_same:
        sentence = _(
            "transfer %(id)s (%(reference)s) does not take back what transfer %(other)s "
            "(%(of_other)s) moved"
        )
        yield sentence % {
            "id": reversal.pk, "reference": reversal.reference,
            "other": original.pk, "of_other": original.reference,
        }  # fmt: skip


def _find_unrecorded_adjustments() -> Iterator[str]:
    """Adjustments and their reversals without an entry in the audit log."""
    for kind, begins, what in (
        (Transfer.Kind.ADJUSTMENT, "adjust:", Act.What.ADJUST),
        (Transfer.Kind.REVERSAL, "reverse:", Act.What.REVERSE),
    ):
        acts = Act.objects.filter(what=what).order_by().values_list("after", flat=True)
        written = {after.get("transfer") for after in acts.iterator() if after}
        moved = Transfer.objects.filter(kind=kind, reference__startswith=begins).order_by("pk")
        for pk, reference in moved.values_list("pk", "reference").iterator():
            if pk not in written:
                sentence = _("transfer %(id)s (%(reference)s) stands in no operator's trail")
                yield sentence % {"id": pk, "reference": reference}


def _find_daily_total_faults() -> Iterator[str]:
    """Days of the books that differ from the sum of their transfers and entries."""
    last = BookDay.objects.aggregate(last=Max("day"))["last"]
    if last is None:
        return
    names = ("day", "kind", "debit_kind", "credit_kind")
    totals = {
        tuple(whose): (count, amount)
        for *whose, count, amount in BookDay.objects.values_list(*names, "count", "amount")
    }
    for *whose, count, amount in daily_totals.sum_by_day(last):
        total = totals.pop(tuple(whose), (0, 0))
        if total != (count, amount):
            yield _describe(whose, total, (count, amount))
    for key, total in totals.items():
        yield _describe(key, total, (0, 0))


def _describe(whose: Iterable[object], books: tuple[int, int], sums: tuple[int, int]) -> str:
    day, kind, debit, credit = whose
    sentence = _(
        "the books of %(day)s say %(said)s transfers of %(said_sum)s for %(kind)s from %(debit)s "
        "to %(credit)s, but there are %(made)s of %(made_sum)s"
    )
    return sentence % {
        "day": day, "kind": kind, "debit": debit, "credit": credit,
        "said": books[0], "said_sum": books[1], "made": sums[0], "made_sum": sums[1],
    }  # fmt: skip
