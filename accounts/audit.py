"""Recomputing the books: every account from its transfers alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.models import F, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce

from accounts.bank import STARTING_GRANT
from accounts.models import Account, Transfer


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything as it is at one moment, while play goes on and waits for nothing."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("BEGIN")  # atomic() would take the one write lock there is
        else:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SET LOCAL statement_timeout = 0")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def faults() -> Iterator[str]:
    """Everything that does not add up, a sentence each, the gravest first."""
    yield from _balances()
    yield from _chains()
    yield from _rebuys()
    yield from _total()


def _balances() -> Iterator[str]:
    """A cached balance that its transfers do not make."""
    credited = _sum_of("credit")
    debited = _sum_of("debit")
    accounts = Account.objects.annotate(made=Coalesce(credited, 0) - Coalesce(debited, 0))
    for account in accounts.exclude(balance=F("made")).order_by("pk").iterator():
        yield (
            f"account {account.pk} ({account}) holds {account.balance}, "
            f"but its transfers make {account.made}"
        )
    below = Account.objects.filter(balance__lt=0).exclude(kind=Account.Kind.BANK)
    for overdrawn in below.order_by("pk").iterator():
        yield f"account {overdrawn.pk} ({overdrawn}) is below zero: {overdrawn.balance}"


def _sum_of(side: str) -> Subquery:
    own = Transfer.objects.filter(**{side: OuterRef("pk")}).order_by().values(side)
    return Subquery(own.annotate(sum=Sum("amount")).values("sum"))


def _chains() -> Iterator[str]:
    """A transfer that says another balance than the one its predecessors lead to."""
    running: dict[int, int] = {}
    for transfer in Transfer.objects.order_by("pk").iterator(chunk_size=5_000):
        for account, change, said in (
            (transfer.debit_id, -transfer.amount, transfer.debit_balance),
            (transfer.credit_id, transfer.amount, transfer.credit_balance),
        ):
            running[account] = running.get(account, 0) + change
            if running[account] != said:
                yield (
                    f"transfer {transfer.pk} ({transfer.reference}) says account {account} held "
                    f"{said} afterwards, but the transfers up to it make {running[account]}"
                )
                running[account] = said


def _rebuys() -> Iterator[str]:
    """A rebuy that brought a wallet to anything but the starting grant."""
    rebuys = Transfer.objects.filter(kind=Transfer.Kind.REBUY)
    wrong = rebuys.exclude(credit_balance__exact=STARTING_GRANT)
    for transfer in wrong.order_by("pk").iterator():
        yield (
            f"transfer {transfer.pk} ({transfer.reference}) brought a wallet to "
            f"{transfer.credit_balance}, and a rebuy brings it to {STARTING_GRANT}"
        )


def _total() -> Iterator[str]:
    total = Account.objects.aggregate(total=Sum("balance"))["total"] or 0
    if total:
        yield f"all accounts together hold {total}, not 0"
