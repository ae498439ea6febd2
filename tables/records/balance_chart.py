"""The balance chart: a point for each settled round, from the ledger, drawn to scale.

Of more than :data:`MOST_ROUNDS` rounds, the time is cut into about sixty stretches, each with its
lowest and highest balance: nothing that was lost or won in between disappears.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise, takewhile
from typing import Final

from django.db.models import Case, Max, Min, OuterRef, Subquery, Value, When

from accounts.ledger import gaming_days
from accounts.ledger.entries import find_first_seqs
from accounts.ledger.gaming_days import GamingDays
from accounts.models import Account, Transfer, User, WalletEntry
from tables.models import Result

MOST_ROUNDS: Final = 500
"""The most rounds with a point each."""
MOST_LINES: Final = 5_000
"""The most lines of the ledger that are read for that: bets that are changed have lines too."""
MOST_STEPS: Final = 58
"""The stretches of time beyond that; with an incomplete first and the last one up to 60."""
TOO_MANY: Final = MOST_ROUNDS + 1
IN_A_ROUND: Final = (Transfer.Kind.STAKE, Transfer.Kind.PAYOUT, Transfer.Kind.REFUND)
"""What moves while a round is open; all other lines are steps of the chart."""

WIDTH, HEIGHT = 600, 200
"""The box of the line. The page scales it."""

_MICROSECOND = dt.timedelta(microseconds=1)
_MINUTES = dt.timedelta(minutes=1)
_DAY = dt.timedelta(days=1)
_STEPS = (30 * _MINUTES, 60 * _MINUTES, 180 * _MINUTES, 360 * _MINUTES, 720 * _MINUTES)


@dataclass(frozen=True, slots=True)
class BalancePoint:
    """The balance of the wallet at a moment, in hundredths."""

    at: dt.datetime
    balance: int


@dataclass(frozen=True, slots=True)
class ChartTick:
    """A grid line of the chart, and its balance in hundredths."""

    balance: int
    y: str


@dataclass(frozen=True, slots=True)
class BalanceChart:
    """The line, its scale and its points."""

    points: tuple[BalancePoint, ...]
    ticks: tuple[ChartTick, ...]
    """From top to bottom, at equal distances."""
    line: str
    """``x,y x,y …`` in a box of :data:`WIDTH` by :data:`HEIGHT`."""
    end: str
    """The end of the line: ``x,y``."""

    @property
    def first(self) -> BalancePoint:
        return self.points[0]

    @property
    def last(self) -> BalancePoint:
        return self.points[-1]

    @property
    def lowest(self) -> int:
        return min(point.balance for point in self.points)

    @property
    def highest(self) -> int:
        return max(point.balance for point in self.points)

    @property
    def middle(self) -> dt.datetime:
        """The moment in the middle of the chart."""
        return self.first.at + (self.last.at - self.first.at) / 2

    @property
    def dates(self) -> str:
        """The unit of the date labels: ``time``, ``day`` or ``month``."""
        span = self.last.at - self.first.at
        return "time" if span <= _DAY else "day" if span <= 300 * _DAY else "month"


def build_chart(user: User, since: dt.date | None, now: dt.datetime) -> BalanceChart | None:
    """Build the chart from that gaming day, or the begin of wallet or history. ``None`` without one."""
    first = WalletEntry.objects.filter(wallet=OuterRef("pk")).order_by("seq").values("at")[:1]
    wallet = Account.objects.filter(user=user).annotate(opened_at=Subquery(first)).first()
    if wallet is None or wallet.opened_at is None:
        return None
    days = gaming_days.load()
    begin = max(wallet.opened_at, user.history_since or wallet.opened_at)
    if since is not None:
        begin = max(begin, days.begin_of(since))
    begin = min(begin, now)
    # Entries at exactly this moment are included.
    (beginning,) = find_first_seqs(wallet.pk, [begin + _MICROSECOND])
    ended = Result.objects.shown_to(user).filter(
        opens_game=True, finished_at__gt=begin, finished_at__lte=now
    )
    rounds = list(ended.order_by("finished_at").values_list("finished_at", flat=True)[:TOO_MANY])
    lines = _lines(wallet, beginning, now) if len(rounds) <= MOST_ROUNDS else []
    if len(rounds) <= MOST_ROUNDS and len(lines) <= MOST_LINES:
        start = BalancePoint(begin, _balance_before(wallet, beginning))
        return draw_chart([*_each_round(start, lines, rounds), BalancePoint(now, wallet.balance)])
    return draw_chart(_stretches(wallet, _list_moments(days, begin, now)))


def draw_chart(points: Sequence[BalancePoint]) -> BalanceChart:
    """Draw a chart of these points, at least one, in the order of time."""
    ticks = compute_ticks(min(p.balance for p in points), max(p.balance for p in points))
    top, bottom = ticks[0], ticks[-1]

    def y(balance: int) -> str:
        return f"{HEIGHT * (top - balance) / (top - bottom):.1f}"

    begin, span = points[0].at, points[-1].at - points[0].at
    places = [
        f"{WIDTH * ((point.at - begin) / span) if span else 0:.1f},{y(point.balance)}"
        for point in points
    ]
    end = f"{WIDTH:.1f},{y(points[-1].balance)}"
    return BalanceChart(
        points=tuple(points),
        ticks=tuple(ChartTick(balance, y(balance)) for balance in ticks),
        line=" ".join(places if span else [*places, end]),
        end=end,
    )


def _list_moments(gaming: GamingDays, begin: dt.datetime, now: dt.datetime) -> list[dt.datetime]:
    """The beginning, then full steps of clock or calendar, then now."""
    span = now - begin
    days = -(-span // (MOST_STEPS * _DAY))
    step = next((step for step in _STEPS if span <= MOST_STEPS * step), days * _DAY)
    first = gaming.begin_of(gaming.day_of(begin))
    past_steps = (begin - first) // step
    steps = (first + number * step for number in count(past_steps + 1))
    moments = [begin, *takewhile(lambda moment: moment < now, steps)]
    return moments if now == begin else [*moments, now]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the ledger, from the wallet's side."""

    at: dt.datetime
    balance: int
    is_step: bool


def _lines(wallet: Account, first: int, now: dt.datetime) -> list[_Line]:
    """The lines from the entry with this number on, in order; over :data:`MOST_LINES` not all."""
    own = WalletEntry.objects.filter(wallet=wallet, seq__gte=first, seq__lte=wallet.seq)
    rows = own.order_by("seq").values_list("at", "balance", "kind")[: MOST_LINES + 1]
    return [
        _Line(at, balance, is_step=kind not in IN_A_ROUND)
        for at, balance, kind in rows
        if at <= now
    ]


def _each_round(
    start: BalancePoint, lines: Sequence[_Line], rounds: Sequence[dt.datetime]
) -> Iterator[BalancePoint]:
    """A point for each round, with the balance after it, and two for each step beside rounds."""
    yield start
    balance, at = start.balance, start.at
    settled = list(rounds[::-1])
    for line in lines:
        # Other processes may have written lines with an earlier time: the line goes forward.
        moment = max(at, line.at)
        while settled and settled[-1] < moment:
            at = max(at, settled.pop())
            yield BalancePoint(at, balance)
        at = moment
        if line.is_step:
            yield BalancePoint(at, balance)
            yield BalancePoint(at, line.balance)
        balance = line.balance
    for ended in reversed(settled):
        at = max(at, ended)
        yield BalancePoint(at, balance)


def _stretches(wallet: Account, moments: Sequence[dt.datetime]) -> list[BalancePoint]:
    """The balance at each moment, and the lowest and highest until the next one.

    The last moment is now and has the current balance, whatever the times of the lines.
    """
    *earlier, now = moments
    ends = find_first_seqs(wallet.pk, [moment + _MICROSECOND for moment in earlier])
    at_begin = _balances_before(wallet, ends)
    ranges = _ranges(wallet, ends)
    points: list[BalancePoint] = []
    for place, (begin, end) in enumerate(pairwise(moments)):
        points.append(BalancePoint(begin, at_begin[place]))
        if place in ranges:
            low, high = ranges[place]
            middle = begin + (end - begin) / 2
            points += [BalancePoint(middle, low), BalancePoint(middle, high)]
    return [*points, BalancePoint(now, wallet.balance)]


def _ranges(wallet: Account, begins: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The lowest and highest balance of the stretches that begin with these entries, by place."""
    if not begins:
        return {}
    later_first = [
        When(seq__gte=first, then=Value(place)) for place, first in reversed([*enumerate(begins)])
    ]
    own = WalletEntry.objects.filter(wallet=wallet, seq__gte=begins[0], seq__lte=wallet.seq)
    groups = own.order_by().values(stretch=Case(*later_first))
    groups = groups.annotate(low=Min("balance"), high=Max("balance"))
    rows = groups.values_list("stretch", "low", "high")
    return {int(place): (low, high) for place, low, high in rows}


def _balance_before(wallet: Account, end: int) -> int:
    return _balances_before(wallet, [end])[0]


def _balances_before(wallet: Account, ends: Sequence[int]) -> list[int]:
    """The balance before the entries with these numbers."""
    entries = WalletEntry.objects.filter(wallet=wallet, seq__in={end - 1 for end in ends})
    balances = dict(entries.values_list("seq", "balance"))
    return [balances.get(end - 1, 0) for end in ends]


def compute_ticks(low: int, high: int) -> list[int]:
    """Three to six round amounts at equal distances, from the top, that enclose the range."""
    if low == high:
        low, high = max(0, low - low // 5), high + max(high // 5, 1_000)
    step = _round_up_step((high - low) / 4)
    return list(range(-(-high // step) * step, low // step * step - 1, -step))


def _round_up_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, 100, … that is at least ``least``."""
    unit = 1
    while 10 * unit < least:
        unit *= 10
    return next(unit * digit for digit in (1, 2, 5, 10) if unit * digit >= least)
