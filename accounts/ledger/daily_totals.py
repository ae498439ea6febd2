"""Daily totals of the ledger: opening, movements and closing for each kind of account.

An entry of a round moves money between a wallet or a stack and its table: the stakes on a table
count with the racks.

Past days are summed once and stored, so that years of play are read from a few rows.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.db.models import (
    BooleanField,
    Count,
    ExpressionWrapper,
    F,
    Max,
    Min,
    Q,
    QuerySet,
    Sum,
)

from accounts.ledger import days as ledger_days
from accounts.ledger import gaming_days
from accounts.ledger.gaming_days import GamingDays
from accounts.models import Account, BookDay, Transfer, WalletEntry

_ONE_DAY = dt.timedelta(days=1)
Moved = tuple[str, str, str, int, int]
"""Kind of movement, kinds of debit and credit account, number and amount."""


_IS_IN = ExpressionWrapper(Q(amount__gt=0), output_field=BooleanField())


def _get_sides(kind: str, *, is_in: bool) -> tuple[str, str]:
    """The kinds of debit and credit account of an entry of a round, for an account of ``kind``."""
    rack = Account.Kind.RACK.value
    return (rack, kind) if is_in else (kind, rack)


@dataclass(slots=True)
class KindTotals:
    """One kind of account in a period. Amounts in hundredths; debits are negative."""

    opening: int = 0
    movements: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """By kind of movement."""
    later: int = 0
    """The movements after the period."""
    held: int = 0
    """The current balance of its accounts, of racks with the stakes on their tables."""

    @property
    def closing(self) -> int:
        return self.opening + sum(self.movements.values())

    @property
    def missing(self) -> int:
        """The difference between the books and the current balance; 0 if they agree."""
        return self.held - self.closing - self.later


def last_summed_day() -> dt.date | None:
    """The last day up to which all days are summed."""
    last: dt.date | None = BookDay.objects.aggregate(last=Max("day"))["last"]
    return last


def sum_finished_days(now: dt.datetime, *, is_enough: Callable[[], bool] = lambda: False) -> bool:
    """Sum past days, oldest first, until ``is_enough``; returns whether all are summed.

    Two processes may do this at once: their sums are the same.
    """
    days = gaming_days.load()
    for day in _find_days_to_sum(days, now):
        if is_enough():
            return False
        rows = [
            BookDay(
                day=day, kind=kind, debit_kind=debit, credit_kind=credit, count=count, amount=amount
            )
            for kind, debit, credit, count, amount in _sum_period(
                days.begin_of(day), days.end_of(day)
            )
        ]
        BookDay.objects.bulk_create(rows, ignore_conflicts=True)
    return True


def _find_days_to_sum(days: GamingDays, now: dt.datetime) -> Iterator[dt.date]:
    """Unsummed days with movements, up to the last one that cannot get new ones."""
    end = days.day_of(now - ledger_days.LONGEST_WRITE)
    last = last_summed_day()
    day = _find_first_day(days) if last is None else last + _ONE_DAY
    while day is not None and day < end:
        bounds = days.begin_of(day), days.end_of(day)
        if _filter_transfers(*bounds).exists() or _filter_plays(*bounds).exists():
            yield day
        day += _ONE_DAY


def _find_first_day(days: GamingDays) -> dt.date | None:
    """The first day with movements. It reads all entries where their index gives no order."""
    firsts = [
        rows.aggregate(at=Min("at"))["at"] for rows in (Transfer.objects, WalletEntry.objects)
    ]
    return min((days.day_of(at) for at in firsts if at is not None), default=None)


def _sum_period(since: dt.datetime | None, until: dt.datetime | None) -> Iterator[Moved]:
    """The sums of a period, by kinds of movement and accounts."""
    transfers = _filter_transfers(since, until).values_list("kind", "debit__kind", "credit__kind")
    yield from transfers.annotate(count=Count("pk"), sum=Sum("amount")).iterator()
    plays = _filter_plays(since, until).values_list("kind", "wallet__kind", _IS_IN)
    for kind, of, is_in, count, amount in plays.annotate(count=Count("pk"), sum=Sum("amount")):
        yield kind, *_get_sides(of, is_in=is_in), count, abs(int(amount))


def sum_by_day(last: dt.date) -> Iterator[tuple[dt.date, str, str, str, int, int]]:
    """The sums up to the end of a day, by gaming day, kind of movement and kinds of accounts.

    A day at a time, because the begin of a day in local time is no function of SQL.
    """
    days = gaming_days.load()
    day = _find_first_day(days)
    while day is not None and day <= last:
        for sums in _sum_period(days.begin_of(day), days.end_of(day)):
            yield day, *sums
        day += _ONE_DAY


def _filter_transfers(since: dt.datetime | None, until: dt.datetime | None) -> QuerySet[Transfer]:
    """The transfers with ``since <= at < until``; ``None`` for no bound."""
    transfers = Transfer.objects.order_by()
    if since is not None:
        transfers = transfers.filter(at__gte=since)
    return transfers if until is None else transfers.filter(at__lt=until)


def _filter_plays(since: dt.datetime | None, until: dt.datetime | None) -> QuerySet[WalletEntry]:
    """The entries of rounds with ``since <= at < until``; ``None`` for no bound."""
    plays = WalletEntry.objects.filter(transfer=None).order_by()
    if since is not None:
        plays = plays.filter(at__gte=since)
    return plays if until is None else plays.filter(at__lt=until)


def load_totals(
    since: dt.date | None, until: dt.date | None, *, staked: int
) -> dict[str, KindTotals]:
    """The sides of all kinds of account from one day to another, inclusive.

    ``staked`` are the current stakes on all tables. Call it in a snapshot of one moment, after
    :func:`sum_finished_days`. Unsummed days are summed on the fly.
    """
    totals = {str(kind): KindTotals() for kind in Account.Kind}
    last = last_summed_day()
    days = BookDay.objects.order_by()
    # Grouped in SQL, so that each of the three periods is a few rows.
    _add(totals, "opening", _load(days.filter(day__lt=since) if since else days.none()))
    period = days.filter(day__gte=since) if since else days
    _add(totals, "movements", _load(period.filter(day__lte=until) if until else period))
    _add(totals, "later", _load(days.filter(day__gt=until) if until else days.none()))
    bounds = gaming_days.load()
    begin = None if last is None else bounds.end_of(last)
    for name, from_, to in _unsummed_periods(bounds, begin, since, until):
        _add(totals, name, _sum_period(from_, to))
    balances = Account.objects.order_by().values_list("kind").annotate(sum=Sum("balance"))
    for kind, balance in balances:
        totals[kind].held = int(balance)
    totals[Account.Kind.RACK].held += staked
    return totals


def _load(days: QuerySet[BookDay]) -> Iterator[Moved]:
    sums = days.values_list("kind", "debit_kind", "credit_kind")
    yield from sums.annotate(number=Sum(F("count")), sum=Sum("amount")).iterator()


def _unsummed_periods(
    days: GamingDays, begin: dt.datetime | None, since: dt.date | None, until: dt.date | None
) -> Iterator[tuple[str, dt.datetime | None, dt.datetime | None]]:
    """The parts of opening, movements and later that are not summed by day, with their bounds."""
    first = days.begin_of(since) if since else None
    end = days.end_of(until) if until and until < dt.date.max else None
    if first is not None and (begin is None or begin < first):
        yield "opening", begin, first
    start = begin if first is None or (begin is not None and begin > first) else first
    if end is None or start is None or start < end:
        yield "movements", start, end
    if end is not None:
        yield "later", end if begin is None else max(begin, end), None


def _add(totals: Mapping[str, KindTotals], name: str, moved: Iterable[Moved]) -> None:
    for kind, debit, credit, _count, amount in moved:
        for side, change in ((totals[debit], -int(amount)), (totals[credit], int(amount))):
            if name == "movements":
                side.movements[kind] += change
            elif name == "opening":
                side.opening += change
            else:
                side.later += change
