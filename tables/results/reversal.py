"""The reversal of a voided round's results."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence

from accounts.ledger import gaming_days
from accounts.models import User
from tables.models import VOID, Hand, Result, Round, Tally
from tables.results import grades, leaderboard_totals, projector, scoring, streaks

_SUMS = ("rounds", "won", "lost", "pushed", "staked", "net", "biggest_win")
_OF_HANDS = ("blackjacks", "busts", "doubles", "splits")


def remove_round(round_: Round, hands: Sequence[Hand]) -> None:
    """Remove a round from all results, in the transaction that voids it.

    The round's table is locked by the caller. The round is counted first if it is not yet, and the
    figures stay locked, so the caller locks nothing afterwards. A game of piles keeps the hand, shown
    as void; its cards stay in the piles. A round with chips of a table is in no figures.
    """
    if round_.table.has_chips:
        Result.objects.filter(round=round_).update(outcome=VOID, stake=0, payout=0)
        return
    projector.count_round(round_.pk)
    grades.remove_round(round_.pk)
    results = list(Result.objects.filter(round=round_).select_related("user").order_by("user"))
    Result.objects.filter(round=round_).update(outcome=VOID, stake=0, payout=0)
    days = gaming_days.load()
    for result in results:
        since = result.user.history_since
        if since is None or result.finished_at > since:
            own = [] if result.is_behind else _filter_hands(hands, result.user_id)
            day = days.day_of(result.finished_at)
            for key in (Tally.ALL, result.rules_key):
                _recompute_day(result.user, key, day, own)
    if round_.rules.stakes is not None and not round_.table.is_private:
        own_results = [result for result in results if not result.is_behind]
        leaderboard_totals.subtract_totals(
            {result.user_id: (1, result.net) for result in own_results}
        )


def _filter_hands(hands: Sequence[Hand], user_id: int) -> list[Hand]:
    return [hand for hand in hands if hand.user_id == user_id]


def _recompute_day(user: User, key: str, day: dt.date, hands: Sequence[Hand]) -> None:
    """Recompute a day without the voided round, of which the player had these ``hands``, then the
    streaks from that day on.
    """
    tally = Tally.objects.filter(user=user, rules_key=key, day=day).first()
    if tally is None:
        return  # they deleted the account
    ended_with = tally.streak
    played = streaks.load_results(user, key, day)
    if hands:
        scoring.count_hands(tally, hands, sign=-1)
    _recompute_sums(tally, played)
    if played:
        tally.save(update_fields=(*_SUMS, *_OF_HANDS))
    else:
        tally.delete()
    streaks.recompute(user, key, day, ended_with=ended_with)


def _recompute_sums(tally: Tally, played: Sequence[Result]) -> None:
    tally.rounds = len(played)
    scores = Counter(scoring.score_of(result.outcome) for result in played)
    tally.won, tally.lost, tally.pushed = scores["won"], scores["lost"], scores["pushed"]
    tally.staked = sum(result.stake for result in played)
    tally.net = sum(result.net for result in played)
    tally.biggest_win = max([0, *(result.net for result in played)])
