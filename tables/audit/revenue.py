"""Audit of revenue: daily revenue against the settled hands."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from django.utils.translation import gettext as _

from accounts.ledger import gaming_days
from tables.models import Result, Takings
from tables.results.revenue import encode_options, get_first_bet

_NAMES = (
    "rounds", "plays", "staked", "paid", "bets", "bets_squared", "void_rounds", "void_plays",
    "void_staked", "void_paid",
)  # fmt: skip
_RevenueKey = tuple[int, dt.date, str, str]
_PRECISION = 1e-9
"""Stored squares may have been summed in floating point."""


def find_revenue_faults() -> Iterator[str]:
    """Yield a sentence for each number of a day and table that differs from its hands."""
    sums = _sum_hands()
    rows = Takings.objects.order_by("pk").values_list(
        "table", "day", "rules_key", "options", *_NAMES
    )
    for table, day, key, options, *values in rows.iterator():
        hands = sums.pop((table, day, key, options), dict.fromkeys(_NAMES, 0))
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
    for (table, day, key, options), hands in sums.items():
        none = _("table %(table)s has no takings on %(day)s (%(rules)s), but %(rounds)s rounds")
        yield none % {
            "table": table, "day": day, "rules": f"{key} {options}", "rounds": hands["rounds"],
        }  # fmt: skip


def _is_same(name: str, stored: Any, expected: Any) -> bool:
    if name == "bets_squared":
        return isclose(float(stored), float(expected), rel_tol=_PRECISION)
    return bool(stored == expected)


def _sum_hands() -> dict[_RevenueKey, Mapping[str, int]]:
    """The revenue from all hands of rounds that are counted, in one walk over the results in the
    order of the rounds.
    """
    revenue: defaultdict[_RevenueKey, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(_NAMES, 0)
    )
    results = Result.objects.counted().with_hands().filter(round__finished_at__isnull=False)
    results = results.select_related("round").order_by("round_id", "seat", "is_behind")
    rows = results.only(
        "user", "seat", "is_behind", "hands", "round__table", "round__finished_at", "round__voided_at",
        "round__rules_key", "round__rules_options",
    )  # fmt: skip
    days = gaming_days.load()
    last: int | None = None
    bet_of_seat = 0
    for result in rows.iterator():
        round_, hands = result.round, result.list_readable_hands()
        if not hands:
            continue
        assert round_.finished_at is not None
        day = days.day_of(round_.finished_at)
        sums = revenue[round_.table_id, day, round_.rules_key, encode_options(round_.rules_options)]
        bet = get_first_bet(stake=hands[0].stake, is_doubled=hands[0].is_doubled)
        added = {
            "rounds": int(round_.pk != last),
            "plays": int(not result.is_behind),
            "staked": sum(hand.staked for hand in hands),
            "paid": sum(hand.paid for hand in hands),
        }
        last = round_.pk
        for name, value in added.items():
            sums[name] += value
            if round_.voided_at is not None:
                sums[f"void_{name}"] += value
        # Bets behind follow the seat's own result, and count with its bet.
        before = bet_of_seat if result.is_behind else 0
        bet_of_seat = before + bet
        sums["bets"] += bet
        sums["bets_squared"] += bet_of_seat**2 - before**2
    return dict(revenue)
