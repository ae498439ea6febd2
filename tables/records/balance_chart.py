"""The balance chart: about sixty points from the ledger, drawn to scale.

Only one ledger line per point is read, however many there are in between.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, takewhile

from django.db.models import OuterRef, QuerySet, Subquery

from accounts.ledger import days as ledger_days
from accounts.models import Account, Transfer, User

MOST_STEPS = 58
"""With the first and the last moment, and an incomplete first step, this gives up to 60 points."""

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
    """Build the chart from that day (UTC), or the begin of wallet or history. ``None`` without one."""
    first = Transfer.objects.filter(credit=OuterRef("pk")).order_by("id").values("at")[:1]
    wallet = Account.objects.filter(user=user).annotate(opened_at=Subquery(first)).first()
    if wallet is None or wallet.opened_at is None:
        return None
    begin = max(wallet.opened_at, user.history_since or wallet.opened_at)
    if since is not None:
        begin = max(begin, ledger_days.day_begins(since))
    return draw_chart(_load_points(wallet, _list_moments(min(begin, now), now)))


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


def _list_moments(begin: dt.datetime, now: dt.datetime) -> list[dt.datetime]:
    """The beginning, then full steps of clock or calendar, then now."""
    span = now - begin
    days = -(-span // (MOST_STEPS * _DAY))
    step = next((step for step in _STEPS if span <= MOST_STEPS * step), days * _DAY)
    midnight = ledger_days.day_begins(begin.astimezone(dt.UTC).date())
    passed = (begin - midnight) // step
    steps = (midnight + number * step for number in count(passed + 1))
    moments = [begin, *takewhile(lambda moment: moment < now, steps)]
    return moments if now == begin else [*moments, now]


def _load_points(wallet: Account, moments: Sequence[dt.datetime]) -> list[BalancePoint]:
    """The balance at each moment, in four statements that read single lines by index.

    The last moment is now and has the current balance, whatever the times of the lines.
    """
    *earlier, now = moments
    # Transfers at exactly this moment are included.
    ends = ledger_days.find_first_ids([moment + _MICROSECOND for moment in earlier])
    sides = ("debit", "credit")
    own = ledger_days.read_first(
        [
            _select_newest(end).filter(**{side: wallet.pk}).values("pk")[:1]
            for end in ends
            for side in sides
        ]
    )
    last = [max(out or 0, in_ or 0) for out, in_ in zip(own[::2], own[1::2], strict=True)]
    lines = Transfer.objects.filter(pk__in=set(last)).order_by()
    balances = {
        line.pk: line.debit_balance if line.debit_id == wallet.pk else line.credit_balance
        for line in lines
    }
    points = [BalancePoint(at, balances.get(pk, 0)) for at, pk in zip(earlier, last, strict=True)]
    return [*points, BalancePoint(now, wallet.balance)]


def _select_newest(end: int | None) -> QuerySet[Transfer]:
    lines = Transfer.objects.order_by("-id")
    return lines if end is None else lines.filter(id__lt=end)


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
