"""The reversal of a voided round's results.

A streak continues over days, so the days after the round's are recomputed as well, until one ends
with the same streak as before.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence

from accounts.ledger.days import day_begins, day_ends
from accounts.models import User
from tables.engine.presets import PRESETS
from tables.models import VOID, Hand, Result, Round, Tally
from tables.results import leaderboard_totals, scoring

_SUMS = ("rounds", "won", "lost", "pushed", "staked", "net", "biggest_win")
_OF_HANDS = ("blackjacks", "busts", "doubles", "splits")
_STREAKS = ("streak", "longest_streak")
_OF_PILES = [key for key, rules in PRESETS.items() if rules.has_piles]


def remove_round(round_: Round, hands: Sequence[Hand]) -> None:
    """Remove a round from all results, in the transaction that voids it.

    The round's table is locked by the caller. Rows shared with other tables are locked in the order
    of users, as in :mod:`tables.results.recording`. A game of piles keeps the hand, shown as void;
    its cards stay in the piles.
    """
    results = list(Result.objects.filter(round=round_).select_related("user").order_by("user"))
    Result.objects.filter(round=round_).update(outcome=VOID, stake=0, payout=0)
    for result in results:
        since = result.user.history_since
        if since is None or result.finished_at > since:
            own = [hand for hand in hands if hand.user_id == result.user_id]
            for key in (Tally.ALL, result.rules_key):
                _recompute_days(result.user, key, result.finished_at.date(), own)
    if round_.rules.stakes is not None and not round_.table.is_private:
        leaderboard_totals.subtract_totals({result.user_id: (1, result.net) for result in results})


def _recompute_days(user: User, key: str, day: dt.date, hands: Sequence[Hand]) -> None:
    """Recompute a day without the voided ``hands``, then the following days while they change."""
    rows = Tally.objects.select_for_update().filter(user=user, rules_key=key)
    tally = rows.filter(day=day).first()
    if tally is None:
        return  # they deleted the account
    before = rows.filter(day__lt=day).order_by("-day").first()
    carried, ended_with = before.streak if before else 0, tally.streak
    played = _load_results(user, key, day)
    scoring.count_hands(tally, hands, sign=-1)
    _recompute_tally(tally, played)
    carried = _recompute_streaks(tally, played, carried)
    if played:
        tally.save(update_fields=(*_SUMS, *_OF_HANDS, *_STREAKS))
    else:
        tally.delete()
    while carried != ended_with:
        tally = rows.filter(day__gt=day).order_by("day").first()
        if tally is None:
            return
        day, ended_with = tally.day, tally.streak
        carried = _recompute_streaks(tally, _load_results(user, key, day), carried)
        tally.save(update_fields=_STREAKS)


def _load_results(user: User, key: str, day: dt.date) -> list[Result]:
    """The player's valid results of that day, in the order of their end."""
    of_day = Result.objects.shown_to(user).exclude(outcome=VOID).order_by()
    of_day = of_day.filter(finished_at__gte=day_begins(day), finished_at__lte=day_ends(day))
    if key:
        of_day = of_day.filter(rules_key=key)
    found = list(of_day.filter(opens_game=True))
    # Later hands of games have no index by time: they are queried only for players of games.
    if Tally.objects.filter(user=user, rules_key__in=_OF_PILES, day=day).exists():
        found += of_day.filter(opens_game=False, game__isnull=False)
    return sorted(found, key=lambda result: (result.finished_at, result.round_id))


def _recompute_tally(tally: Tally, played: Sequence[Result]) -> None:
    tally.rounds = len(played)
    counted = Counter(scoring.score_of(result.outcome) for result in played)
    tally.won, tally.lost, tally.pushed = counted["won"], counted["lost"], counted["pushed"]
    tally.staked = sum(result.stake for result in played)
    tally.net = sum(result.net for result in played)
    tally.biggest_win = max([0, *(result.net for result in played)])


def _recompute_streaks(tally: Tally, played: Sequence[Result], streak: int) -> int:
    """Store the streaks of a day that begins with ``streak``; returns the streak at its end."""
    longest = 0
    for result in played:
        streak = scoring.next_streak(streak, result.outcome)
        if scoring.score_of(result.outcome) == "won":
            longest = max(longest, streak)
    tally.streak, tally.longest_streak = streak, longest
    return streak
