"""Luck and skill of a player: what mistakes cost, and the net against what was to be expected."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from django.db.models import Count, Q, Sum
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from tables.engine.presets import PILES, PRESETS
from tables.models import Grade
from tables.models.grades import Grades
from tables.records.balance_chart import HEIGHT, WIDTH, compute_ticks
from tables.records.skill.graded_round import format_share

MOST_ROUNDS: Final = 5_000
"""The most rounds of the chart, the latest ones."""
MOST_POINTS: Final = 60
"""The most points of its lines and rows of its table."""
FEW_ROUNDS: Final = 30
"""Below these the net of rounds is not yet spread like a bell, and the band says little."""
IN_BAND: Final = 2
"""Standard deviations on each side: luck stays within them in 95 of 100 cases."""

_SUMS: Final = ("decisions", "mistakes", "cost", "expectation", "luck", "money_cost", "variance")


@dataclass(frozen=True, slots=True)
class SkillStats:
    """The figures of one rule set, or of all. Amounts in hundredths."""

    rules_key: str
    rounds: int
    """Graded rounds."""
    staked_rounds: int
    """Those of them with stakes."""
    decisions: int
    mistakes: int
    cost: int
    """In millionths of a bet, of a hand without stakes, or of a card."""
    expectation: int
    luck: int
    money_cost: int
    variance: float

    @property
    def title(self) -> str:
        """The name of the rule set."""
        rules = PRESETS.get(self.rules_key)
        return _(rules.title) if rules else self.rules_key

    @property
    def mistakes_per_hundred(self) -> str:
        """Mistakes per 100 decisions."""
        if not self.decisions:
            return ""
        return str(number_format(round(self.mistakes * 100 / self.decisions, 1), 1))

    @property
    def cost_per_hundred(self) -> str:
        """The cost of 100 decisions: ``0.480 bets``."""
        if not self.decisions:
            return ""
        cost = format_share(self.cost * 100 // self.decisions)
        rules = PRESETS.get(self.rules_key)
        if rules is not None and rules.has_piles:
            return _("%(cost)s cards") % {"cost": cost}
        if rules is not None and rules.stakes is None:
            return _("%(cost)s hands") % {"cost": cost}
        return _("%(cost)s bets") % {"cost": cost}

    @property
    def has_stakes(self) -> bool:
        """Whether there was any money in it."""
        return self.staked_rounds > 0

    @property
    def money_cost_per_hundred(self) -> int:
        """What mistakes cost in 100 rounds with stakes, in hundredths."""
        return round(self.money_cost * 100 / self.staked_rounds) if self.staked_rounds else 0

    @property
    def part_of_mistakes(self) -> int:
        """What decisions cost, as a part of the net."""
        return -self.money_cost

    @property
    def net(self) -> int:
        return self.expectation + self.luck - self.money_cost

    @property
    def band(self) -> int:
        """Two standard deviations of luck."""
        return round(IN_BAND * sqrt(self.variance))


def load_skill(user_id: int, since: dt.datetime | None) -> list[SkillStats]:
    """The figures from that time on: the total first, then each rule set. Empty without grades.

    Mistakes at ``piles`` cost cards, so the total has none of its decisions.
    """
    sums = {name: Sum(name) for name in _SUMS}
    by_rules = _select(user_id, since).order_by().values("rules_key")
    rows = by_rules.annotate(
        rounds=Count("pk"), staked_rounds=Count("pk", filter=Q(stake__gt=0)), **sums
    )
    stats = [_read_row(row) for row in rows]
    places = {key: place for place, key in enumerate(PRESETS)}
    stats.sort(key=lambda own: (places.get(own.rules_key, len(places)), own.rules_key))
    return [_add_up(stats), *stats] if stats else []


def _read_row(row: Mapping[str, Any]) -> SkillStats:
    # PostgreSQL returns sums of large integers as Decimals.
    as_they_are = ("rules_key", "variance")
    values: dict[str, Any] = {
        name: value if name in as_they_are else int(value) for name, value in row.items()
    }
    return SkillStats(**values)


def _add_up(stats: Sequence[SkillStats]) -> SkillStats:
    summands = [own for own in stats if own.rules_key != PILES.key]
    return SkillStats(
        rules_key="",
        rounds=sum(own.rounds for own in summands),
        staked_rounds=sum(own.staked_rounds for own in summands),
        decisions=sum(own.decisions for own in summands),
        mistakes=sum(own.mistakes for own in summands),
        cost=sum(own.cost for own in summands),
        expectation=sum(own.expectation for own in summands),
        luck=sum(own.luck for own in summands),
        money_cost=sum(own.money_cost for own in summands),
        variance=sum(own.variance for own in summands),
    )


def _select(user_id: int, since: dt.datetime | None) -> Grades:
    grades = Grade.objects.done().filter(user=user_id)
    return grades.filter(finished_at__gte=since) if since else grades


@dataclass(frozen=True, slots=True)
class LuckPoint:
    """Sums after so many rounds with stakes, in hundredths."""

    rounds: int
    net: int
    expected: int
    """With the mistakes that were made."""
    band: int
    """Two standard deviations."""

    @property
    def low(self) -> int:
        return self.expected - self.band

    @property
    def high(self) -> int:
        return self.expected + self.band


@dataclass(frozen=True, slots=True)
class LuckTick:
    """A grid line, and its amount in hundredths."""

    amount: int
    y: str


@dataclass(frozen=True, slots=True)
class LuckChart:
    """The net of the latest rounds against its expectation, drawn to scale."""

    points: tuple[LuckPoint, ...]
    ticks: tuple[LuckTick, ...]
    net: str
    """``x,y x,y …`` in a box of the size of the balance chart's."""
    expected: str
    band: str
    """The outline of the band."""
    end: str
    """The end of the net's line: ``x,y``."""
    is_cut: bool
    """Whether there are earlier rounds."""

    @property
    def last(self) -> LuckPoint:
        return self.points[-1]

    @property
    def is_early(self) -> bool:
        """Whether there are too few rounds to speak of usual luck."""
        return self.last.rounds < FEW_ROUNDS

    @property
    def is_within(self) -> bool:
        """Whether the net is within the band at the end."""
        return self.last.low <= self.last.net <= self.last.high


def build_luck_chart(user_id: int, since: dt.datetime | None) -> LuckChart | None:
    """Build the chart of the rounds with stakes from that time on. ``None`` without any."""
    grades = _select(user_id, since).filter(stake__gt=0).order_by("-finished_at", "-pk")
    rows = list(
        grades.values_list("expectation", "luck", "money_cost", "variance")[: MOST_ROUNDS + 1]
    )
    if not rows:
        return None
    latest = rows[:MOST_ROUNDS][::-1]
    return draw_luck_chart(_sum_up(latest), is_cut=len(rows) > MOST_ROUNDS)


def _sum_up(rows: Sequence[tuple[int, int, int, float]]) -> list[LuckPoint]:
    """The sums at most :data:`MOST_POINTS` times, at equal distances, and at the end."""
    step = -(-len(rows) // MOST_POINTS)
    points, net, expected, variance = [LuckPoint(0, 0, 0, 0)], 0, 0, 0.0
    for number, (expectation, luck, cost, of_round) in enumerate(rows, start=1):
        net += expectation + luck - cost
        expected += expectation - cost
        variance += of_round
        if number % step == 0 or number == len(rows):
            band = round(IN_BAND * sqrt(variance))
            points.append(LuckPoint(number, net, expected, band))
    return points


def draw_luck_chart(points: Sequence[LuckPoint], *, is_cut: bool = False) -> LuckChart:
    """Draw a chart of these points, at least two, from no rounds on."""
    low = min(min(point.low, point.net) for point in points)
    high = max(max(point.high, point.net) for point in points)
    ticks = compute_ticks(low, high)
    top, bottom, rounds = ticks[0], ticks[-1], points[-1].rounds

    def place(number: int, amount: int) -> str:
        return f"{WIDTH * number / rounds:.1f},{HEIGHT * (top - amount) / (top - bottom):.1f}"

    def line(amounts: Iterable[tuple[int, int]]) -> str:
        return " ".join(place(*one) for one in amounts)

    upper = [(point.rounds, point.high) for point in points]
    lower = [(point.rounds, point.low) for point in reversed(points)]
    return LuckChart(
        points=tuple(points),
        ticks=tuple(
            LuckTick(tick, f"{HEIGHT * (top - tick) / (top - bottom):.1f}") for tick in ticks
        ),
        net=line((point.rounds, point.net) for point in points),
        expected=line((point.rounds, point.expected) for point in points),
        band=line([*upper, *lower]),
        end=place(rounds, points[-1].net),
        is_cut=is_cut,
    )
