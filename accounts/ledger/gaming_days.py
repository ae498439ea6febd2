"""The gaming day: the day of the books and figures, which begins at an hour of the site's zone.

Without a setting it begins at midnight UTC. A new setting applies from a later day on, so that past
days keep their bounds, and the day before it is longer or shorter. Daily limits count a shortened day
and the one after it as one, so that no change of the setting lets them begin anew early.
"""

from __future__ import annotations

import datetime as dt
import zoneinfo
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import gettext as _

from accounts.lib import zones
from accounts.lib.errors import OperationRefused
from accounts.models import GamingDayRule

_ONE_DAY: Final = dt.timedelta(days=1)
_MARGIN: Final = dt.timedelta(minutes=5)
"""A new rule begins later than this, so that nothing is written by the old one after it."""
_SHORTEST: Final = dt.timedelta(hours=23)
"""The shortest day by one rule, when the clocks change. A shorter one was shortened by a new rule."""


@dataclass(frozen=True, slots=True)
class Rule:
    """From ``first_day`` on, days begin at this hour in this zone."""

    first_day: dt.date
    zone: str = "UTC"
    hour: int = 0

    def begin_of(self, day: dt.date) -> dt.datetime:
        """The begin of a day, in UTC. An hour that the clock skips counts as the next one."""
        local = dt.datetime.combine(day, dt.time(self.hour), zoneinfo.ZoneInfo(self.zone))
        try:
            return local.astimezone(dt.UTC)
        except OverflowError:  # the first or last day that there is
            return local.replace(tzinfo=dt.UTC)

    def day_of(self, moment: dt.datetime) -> dt.date:
        """The day of a moment."""
        day = moment.astimezone(zoneinfo.ZoneInfo(self.zone)).date()
        return day if self.begin_of(day) <= moment else day - _ONE_DAY


@dataclass(frozen=True, slots=True)
class GamingDays:
    """All rules, the oldest first. The first one is midnight UTC."""

    rules: tuple[Rule, ...] = (Rule(dt.date.min),)

    @property
    def last_rule(self) -> Rule:
        """The rule of the last days, which may lie in the future."""
        return self.rules[-1]

    def rule_of(self, day: dt.date) -> Rule:
        """The rule of a day."""
        return next(rule for rule in reversed(self.rules) if rule.first_day <= day)

    def begin_of(self, day: dt.date) -> dt.datetime:
        """The begin of a gaming day, in UTC."""
        return self.rule_of(day).begin_of(day)

    def end_of(self, day: dt.date) -> dt.datetime:
        """The begin of the day after it, in UTC, which does not belong to it."""
        return (
            dt.datetime.max.replace(tzinfo=dt.UTC)
            if day == dt.date.max
            else self.begin_of(day + _ONE_DAY)
        )

    def day_of(self, moment: dt.datetime) -> dt.date:
        """The gaming day of a moment."""
        for rule, later in zip(self.rules, (*self.rules[1:], None), strict=True):
            if later is None or moment < later.begin_of(later.first_day):
                day = rule.day_of(moment)
                # The last day before a new rule may be longer than a day.
                return day if later is None else min(day, later.first_day - _ONE_DAY)
        raise AssertionError("the last rule has no end")

    def plan(self, zone: str, hour: int, now: dt.datetime) -> Rule:
        """The rule that would begin next: after ``now``, and after the begin of the day before it."""
        rule = Rule(self.day_of(now) + _ONE_DAY, zone, hour)
        # With some zones far apart no day of the new rule begins after the one before it.
        later = rule.first_day + 7 * _ONE_DAY
        if rule.begin_of(later) <= self.begin_of(later - _ONE_DAY) + _MARGIN:
            message = _("That is a day or more before the present begin. Choose a later hour.")
            raise OperationRefused(message)
        while rule.begin_of(rule.first_day) <= max(
            now + _MARGIN, self.begin_of(rule.first_day - _ONE_DAY)
        ):
            rule = replace(rule, first_day=rule.first_day + _ONE_DAY)
        return rule

    def today(self, now: dt.datetime) -> tuple[dt.date, dt.datetime]:
        """The gaming day of ``now``, and its begin."""
        day = self.day_of(now)
        return day, self.begin_of(day)

    def begin_of_limits(self, now: dt.datetime) -> dt.datetime:
        """The begin of the time that counts towards daily limits: this gaming day, with the days
        before it that a new rule has shortened.
        """
        day, begin = self.today(now)
        while begin - (before := self.begin_of(day - _ONE_DAY)) < _SHORTEST:
            day, begin = day - _ONE_DAY, before
        return begin

    def end_of_break(self, day: dt.date, set_at: dt.datetime) -> dt.datetime:
        """The end of a break until ``day``: no rule since the break was set makes it earlier."""
        start = self.rule_of(self.day_of(set_at)).first_day
        return max(
            rule.begin_of(day) for rule in self.rules if start <= rule.first_day <= max(day, start)
        )


def load() -> GamingDays:
    """Load the rules."""
    rows = GamingDayRule.objects.order_by("first_day").values_list("first_day", "zone", "hour")
    return GamingDays((Rule(dt.date.min), *(_read_rule(*row) for row in rows)))


def _read_rule(first_day: dt.date, zone: str, hour: int) -> Rule:
    """A stored rule. A zone that this machine does not know any more is UTC."""
    return Rule(first_day, zone if zones.is_zone(zone) else "UTC", min(hour, 23))


def set_begin(zone: str, hour: int, now: dt.datetime) -> Rule:
    """Store that days begin at ``hour`` in ``zone``, from the next day on that is still to come.

    A rule that is not in force yet is replaced. The row of settings is locked by the caller.
    """
    GamingDayRule.objects.filter(
        first_day__in=[r.first_day for r in _list_waiting(load(), now)]
    ).delete()
    days = load()
    if (days.last_rule.zone, days.last_rule.hour) == (zone, hour):
        return days.last_rule
    rule = days.plan(zone, hour, now)
    GamingDayRule.objects.create(first_day=rule.first_day, zone=zone, hour=hour)
    return rule


def _list_waiting(days: GamingDays, now: dt.datetime) -> list[Rule]:
    """The rules that begin late enough to be replaced."""
    return [rule for rule in days.rules[1:] if rule.begin_of(rule.first_day) > now + _MARGIN]
