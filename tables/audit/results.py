"""Audit of results: hands against results, results that are counted against tallies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import add
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Greatest
from django.utils.translation import gettext as _

from tables.models import LOST, VOID, WON, Result, Standing, Tally

_NET = F("payout") - F("stake")
_COUNTED = ("rounds", "won", "lost", "pushed", "staked", "net", "biggest_win")
Counted = tuple[int, ...]
"""The values of :data:`_COUNTED`."""

_HAS_FIGURES = Q(user__is_active=True) | Q(user__frozen_at__isnull=False)
"""Users with an account, frozen or not. A deletion removes the rows that are kept for players."""


def find_result_faults() -> Iterator[str]:
    """Yield a sentence for each error in results, tallies and standings."""
    yield from _find_differing_results()
    yield from _find_tally_faults()
    yield from _find_standing_faults()


def _find_differing_results() -> Iterator[str]:
    """Results whose stakes or payouts differ from the hands."""
    is_void = Q(outcome=VOID, round__voided_at__isnull=False)  # checked with the voids
    results = Result.objects.exclude(is_void).order_by("pk")
    rows = results.only("round", "user", "seat", "is_behind", "stake", "payout", "hands")
    for result in rows.iterator():
        hands = result.list_readable_hands()
        staked, paid = sum(hand.staked for hand in hands), sum(hand.paid for hand in hands)
        if (result.stake, result.payout) == (staked, paid):
            continue
        sentence = _(
            "round %(round)s: the result of user %(user)s says %(stake)s staked and %(payout)s "
            "paid, but the hands say %(staked)s and %(paid)s"
        )
        yield sentence % {
            "round": result.round_id, "user": result.user_id, "stake": result.stake,
            "payout": result.payout, "staked": staked, "paid": paid,
        }  # fmt: skip


def _find_tally_faults() -> Iterator[str]:
    """Tallies that differ from the sum of the visible results."""
    sums = _count_results()
    tallies = _by_user_and_rules(Tally.objects.filter(_HAS_FIGURES, rounds__gt=0))
    rows = tallies.annotate(
        **{name: Sum(name) for name in _COUNTED[:-1]}, biggest_win=Max("biggest_win")
    )
    for user_id, key, *counted in rows.values_list("user", "rules_key", *_COUNTED).iterator():
        results = sums.pop((user_id, key), (0,) * len(_COUNTED))
        whose = _("tallies of user %(user)s %(of_rules)s")
        subject = whose % {"user": user_id, "of_rules": _describe_rules(key)}
        yield from _describe(subject, _COUNTED, tuple(counted), results)
    for (user_id, key), results in sums.items():
        none = _("user %(user)s has no tally %(of_rules)s, but %(rounds)s rounds")
        yield none % {"user": user_id, "of_rules": _describe_rules(key), "rounds": results[0]}


def _count_results() -> dict[tuple[int, str], Counted]:
    """The sums of results by user and rule set, and over all rule sets."""
    results = Result.objects.shown().counted().filter(_HAS_FIGURES).exclude(outcome=VOID)
    groups = _by_user_and_rules(results).annotate(
        rounds=Count("pk"),
        won=Count("pk", filter=Q(outcome__in=WON)),
        lost=Count("pk", filter=Q(outcome__in=LOST)),
        pushed=Count("pk", filter=Q(outcome="push")),
        staked=Sum("stake"),
        sum=Sum(_NET),
        biggest_win=Greatest(Max(_NET), 0),
    )
    counted: dict[tuple[int, str], Counted] = {}
    rows = groups.values_list(
        "user", "rules_key", "rounds", "won", "lost", "pushed", "staked", "sum", "biggest_win"
    )
    for user_id, key, *values in rows.iterator():
        counted[user_id, key] = tuple(values)
        *sums, biggest_win = counted.get((user_id, Tally.ALL), (0,) * len(_COUNTED))
        more = map(add, sums, values)
        counted[user_id, Tally.ALL] = (*more, max(biggest_win, values[-1]))
    return counted


def _by_user_and_rules(rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    return rows.order_by().values("user", "rules_key")


def _find_standing_faults() -> Iterator[str]:
    """Standings that differ from the sum of the staked results at public tables."""
    results = Result.objects.own().counted()
    results = results.filter(_HAS_FIGURES, stake__gt=0, table__is_private=False)
    names = ("rounds", "net", "per_hundred")
    sums = {
        user_id: (rounds, won, int(won) * 100 // rounds)  # PostgreSQL returns a Decimal
        for user_id, rounds, won in results.order_by()
        .values("user")
        .annotate(rounds=Count("pk"), won=Sum(_NET))
        .values_list("user", "rounds", "won")
        .iterator()
    }
    standings = Standing.objects.filter(_HAS_FIGURES).order_by("user")
    for user_id, *values in standings.values_list("user", *names).iterator():
        results_of = sums.pop(user_id, (0, 0, 0))
        whose = _("standing of user %(user)s") % {"user": user_id}
        yield from _describe(whose, names, tuple(values), results_of)
    for user_id, (rounds, *_rest) in sums.items():
        none = _("user %(user)s has no standing, but %(rounds)s rounds")
        yield none % {"user": user_id, "rounds": rounds}


def _describe(
    whose: str, names: Sequence[str], stored: Counted, expected: Counted
) -> Iterator[str]:
    for name, one, other in zip(names, stored, expected, strict=True):
        if one != other:
            sentence = _("%(whose)s: %(name)s %(said)s, but the results make %(made)s")
            yield sentence % {"whose": whose, "name": name, "said": one, "made": other}


def _describe_rules(key: str) -> str:
    return _("of %(rules)s") % {"rules": key} if key else _("of all rule sets")
