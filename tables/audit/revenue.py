"""Audit of revenue: daily revenue against the settled hands."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    FloatField,
    OuterRef,
    Q,
    Sum,
    When,
)
from django.db.models.functions import Cast, Coalesce, TruncDate
from django.utils.translation import gettext as _

from tables.models import Hand, Takings, UncountedRound
from tables.results.revenue import encode_options

_NAMES = (
    "rounds", "plays", "staked", "paid", "bets", "bets_squared", "void_rounds", "void_plays",
    "void_staked", "void_paid",
)  # fmt: skip
_RevenueKey = tuple[int, dt.date, str, str]
_PRECISION = 1e-9
"""Squares are summed in floating point, because high stakes exceed the integer range."""

_IS_VOID = Q(round__voided_at__isnull=False)
_FIRST = Q(number=1)
_STAKED = F("stake") + F("insurance_stake")
_PAID = F("payout") + F("insurance_payout")
_BET = Case(
    When(is_doubled=True, then=ExpressionWrapper(F("stake") / 2, BigIntegerField())),
    default=F("stake"),
)
_BET_SQUARED = Cast(_BET, FloatField()) * Cast(_BET, FloatField())


def find_revenue_faults() -> Iterator[str]:
    """Yield a sentence for each number of a day and table that differs from its hands."""
    made = _sum_hands()
    said = Takings.objects.order_by("pk").values_list(
        "table", "day", "rules_key", "options", *_NAMES
    )
    for table, day, key, options, *values in said.iterator():
        hands = made.pop((table, day, key, options), dict.fromkeys(_NAMES, 0))
        for name, value in zip(_NAMES, values, strict=True):
            if not _is_same(name, value, hands[name]):
                sentence = _(
                    "takings of table %(table)s on %(day)s (%(rules)s): %(name)s %(said)s, but "
                    "the hands make %(made)s"
                )
                yield sentence % {
                    "table": table, "day": day, "rules": f"{key} {options}",
                    "name": name, "said": value, "made": hands[name],
                }  # fmt: skip
    for (table, day, key, options), hands in made.items():
        none = _("table %(table)s has no takings on %(day)s (%(rules)s), but %(rounds)s rounds")
        yield none % {
            "table": table, "day": day, "rules": f"{key} {options}", "rounds": hands["rounds"],
        }  # fmt: skip


def _is_same(name: str, said: Any, made: Any) -> bool:
    if name == "bets_squared":
        return isclose(float(said), float(made), rel_tol=_PRECISION)
    return bool(said == made)


def _sum_hands() -> dict[_RevenueKey, Mapping[str, Any]]:
    """The revenue from all hands of rounds that are counted, in one statement."""
    uncounted = UncountedRound.objects.filter(pk=OuterRef("round"))
    days = (
        Hand.objects.filter(~Exists(uncounted))
        .order_by()
        .values_list(
            "round__table",
            TruncDate("round__finished_at", tzinfo=dt.UTC),
            "round__rules_key",
            "round__rules_options",
        )
    )
    sums = days.annotate(
        rounds=Count("round", distinct=True),
        plays=Count("pk", filter=_FIRST),
        staked=Sum(_STAKED),
        paid=Sum(_PAID),
        bets=Coalesce(Sum(_BET, filter=_FIRST), 0),
        bets_squared=Coalesce(Sum(_BET_SQUARED, filter=_FIRST), 0.0),
        void_rounds=Count("round", distinct=True, filter=_IS_VOID),
        void_plays=Count("pk", filter=_FIRST & _IS_VOID),
        void_staked=Coalesce(Sum(_STAKED, filter=_IS_VOID), 0),
        void_paid=Coalesce(Sum(_PAID, filter=_IS_VOID), 0),
    )
    made: dict[_RevenueKey, Mapping[str, Any]] = {}
    for table, day, key, options, *values in sums.iterator():
        whose = table, day, key, encode_options(options)
        before = made.get(whose, dict.fromkeys(_NAMES, 0))
        made[whose] = {
            name: before[name] + value for name, value in zip(_NAMES, values, strict=True)
        }
    return made
