"""What decisions in the rounds of a match cost.

These rounds are played with chips of a table, so they are in no figures, and the worker does not
grade them. They are graded for the page of the match, a few at a time, and kept in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from threading import Lock
from typing import Final

from django.core.cache import cache

from tables.advice import game_odds
from tables.advice.grading import UngradableRound
from tables.advice.stored_rounds import grade_stored_round
from tables.models import Round

BUDGET: Final = 0.4
"""The seconds in which a request begins to grade another round: that takes time from play."""
CACHE_SECONDS: Final = 30 * 24 * 3600
"""The seconds for which costs are kept."""

_grading = Lock()
Costs = dict[int, int]
"""In hundredths, by seat; empty for a round that cannot be graded."""


def load_costs(rounds: Iterable[Round]) -> dict[int, Costs]:
    """The costs of settled rounds by round id. Those that are not computed yet are missing; the next
    request computes more of them.
    """
    keys = {_get_key(row): row for row in rounds}
    by_key: dict[str, Costs] = cache.get_many(keys)
    missing = [key for key in keys if key not in by_key]
    if missing and _grading.acquire(blocking=False):
        try:
            until = time.monotonic() + BUDGET
            for key in missing:
                if time.monotonic() > until:
                    break
                if game_odds.find(keys[key].rules) is not None:
                    by_key[key] = _grade(keys[key])
                    cache.set(key, by_key[key], CACHE_SECONDS)
        finally:
            _grading.release()
    return {keys[key].pk: costs for key, costs in by_key.items()}


def _get_key(row: Round) -> str:
    """With the time of its end: a restored database counts its rounds anew."""
    ended = row.finished_at.timestamp() if row.finished_at else 0
    return f"decision-costs/{row.pk}/{ended:.6f}"


def _grade(row: Round) -> Costs:
    try:
        return {seat: graded.money_cost for seat, graded in grade_stored_round(row.pk).items()}
    except (UngradableRound, LookupError):
        return {}
