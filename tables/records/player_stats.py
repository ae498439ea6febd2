"""Statistics of a player: by rule set, in total, by day."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Max, Sum
from django.utils.translation import gettext as _

from tables.engine.presets import PRESETS
from tables.models import Tally

DAYS = 30
"""The number of days in the table, the latest ones with rounds."""

_SUMS = (
    "rounds", "won", "lost", "pushed", "blackjacks", "busts", "doubles", "splits", "staked", "net",
)  # fmt: skip
_MOST = ("biggest_win", "longest_streak")


class Period(StrEnum):
    """The period of the figures."""

    DAY = "day"
    WEEK = "week"
    ALL = "all"

    @classmethod
    def parse(cls, text: str | None) -> Period:
        """Parse the name of a period; anything else is the whole time."""
        return cls(text) if text in list(cls) else cls.ALL

    def first_day(self, today: dt.date) -> dt.date | None:
        """The first gaming day of the period; ``None`` for the whole time."""
        if self is Period.ALL:
            return None
        return today - dt.timedelta(days=6 if self is Period.WEEK else 0)


@dataclass(frozen=True, slots=True)
class RuleStats:
    """The figures of one rule set or of all. Amounts in hundredths."""

    rules_key: str
    rounds: int
    won: int
    lost: int
    pushed: int
    blackjacks: int
    busts: int
    doubles: int
    splits: int
    staked: int
    net: int
    biggest_win: int
    longest_streak: int

    @property
    def title(self) -> str:
        """The name of the rule set."""
        rules = PRESETS.get(self.rules_key)
        return _(rules.title) if rules else self.rules_key

    @property
    def has_stakes(self) -> bool:
        """Whether there was any money in it."""
        return self.staked > 0


@dataclass(frozen=True, slots=True)
class DayStats:
    """The figures of one gaming day. Amounts in hundredths."""

    day: dt.date
    rounds: int
    staked: int
    net: int

    @property
    def has_stakes(self) -> bool:
        """Whether there was any money in it."""
        return self.staked > 0


def load_rule_stats(user_id: int, since: dt.date | None) -> list[RuleStats]:
    """The figures from that day on: the total first, then each rule set that was played.

    Empty without rounds.
    """
    sums = {name: Sum(name) for name in _SUMS} | {name: Max(name) for name in _MOST}
    tallies = Tally.objects.filter(user=user_id, rounds__gt=0)
    if since is not None:
        tallies = tallies.filter(day__gte=since)
    names = ("rules_key", *_SUMS, *_MOST)
    rows = tallies.order_by().values("rules_key").annotate(**sums).values_list(*names)
    stats = [RuleStats(key, *map(int, values)) for key, *values in rows]  # sums may be Decimals
    places = {key: place for place, key in enumerate((Tally.ALL, *PRESETS))}
    return sorted(stats, key=lambda own: (places.get(own.rules_key, len(places)), own.rules_key))


def load_day_stats(user_id: int, since: dt.date | None) -> list[DayStats]:
    """The latest :data:`DAYS` days with rounds, from that day on, newest first."""
    tallies = Tally.objects.filter(user=user_id, rules_key=Tally.ALL, rounds__gt=0)
    if since is not None:
        tallies = tallies.filter(day__gte=since)
    rows = tallies.order_by("-day").values_list("day", "rounds", "staked", "net")
    return [DayStats(*row) for row in rows[:DAYS]]
