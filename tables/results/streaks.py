"""Streaks of tallies, recomputed from results.

A streak continues over days, so the days after a changed one are recomputed as well, until one ends
with the same streak as before.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from accounts.ledger import gaming_days
from accounts.models import User
from tables.engine.presets import PRESETS
from tables.models import VOID, Result, Tally
from tables.results import scoring

_OF_PILES = [key for key, rules in PRESETS.items() if rules.has_piles]


def load_results(user: User, key: str, day: dt.date) -> list[Result]:
    """The player's valid results that are counted on that day, in the order of their end."""
    of_day = Result.objects.shown_to(user).counted().exclude(outcome=VOID).order_by()
    days = gaming_days.load()
    of_day = of_day.filter(finished_at__gte=days.begin_of(day), finished_at__lt=days.end_of(day))
    if key:
        of_day = of_day.filter(rules_key=key)
    results = list(of_day.filter(opens_game=True))
    # Later hands of games have no index by time: they are queried only for players of games.
    if Tally.objects.filter(user=user, rules_key__in=_OF_PILES, day=day).exists():
        results += of_day.filter(opens_game=False, game__isnull=False)
    return sorted(results, key=lambda result: (result.finished_at, result.round_id))


def recompute(user: User, key: str, day: dt.date, *, ended_with: int) -> None:
    """Recompute the streaks of a day and of the following ones, while they change.

    ``ended_with`` is the streak with which the day ended before. The figures are locked.
    """
    rows = Tally.objects.filter(user=user, rules_key=key)
    before = rows.filter(day__lt=day).order_by("-day").first()
    streak = before.streak if before else 0
    for tally in rows.filter(day__gte=day).order_by("day").iterator():
        if tally.day > day:
            if streak == ended_with:
                return
            ended_with = tally.streak
        streak = _recompute_day(tally, load_results(user, key, tally.day), streak)


def _recompute_day(tally: Tally, played: Sequence[Result], streak: int) -> int:
    """Store the streaks of a day that begins with ``streak``; returns the streak at its end."""
    longest = 0
    for result in played:
        streak = scoring.next_streak(streak, result.outcome)
        if scoring.score_of(result.outcome) == "won":
            longest = max(longest, streak)
    tally.streak, tally.longest_streak = streak, longest
    tally.save(update_fields=["streak", "longest_streak"])
    return streak
