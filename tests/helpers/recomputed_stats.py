"""What results, tallies and standings have to be, reckoned anew from hands and changes.

Slow and simple on purpose, and without a word of ``tables.results``, but for the projector's call.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from accounts.models import User
from tables.models import Hand, Result, Round, Standing, Tally
from tables.results import projector

DECIDED = ("hit", "stand", "double", "split", "surrender", "insure", "decline")
Row = dict[str, Any]


@dataclass
class ExpectedRows:
    """All rows there have to be, by what tells them apart."""

    results: dict[tuple[int, int], Row] = field(default_factory=dict)
    """By user and round."""
    tallies: dict[tuple[int, str, dt.date], Row] = field(default_factory=dict)
    standings: dict[int, Row] = field(default_factory=dict)


def reckoned() -> ExpectedRows:
    """Everything, from all rounds in the order in which they ended."""
    stats, streaks = ExpectedRows(), defaultdict(int)
    rounds = Round.objects.exclude(dealt_at=None).exclude(finished_at=None)
    rounds = rounds.select_related("table").prefetch_related("results__user", "changes")
    for round_ in rounds.order_by("finished_at", "pk"):
        for stored in round_.results.all():
            user, hands = stored.user, stored.list_hands()
            if not hands:
                continue
            result = _result(stats, round_, user, hands)
            stats.results[user.pk, round_.pk] = result
            if round_.voided_at is not None:
                result |= {"outcome": "void", "stake": 0, "payout": 0}
            elif user.history_since is None or round_.finished_at > user.history_since:
                _count(stats, round_, user, hands, result, streaks)
            if result["stake"] and not round_.table.is_private:
                _stand(stats, user, result)
    return stats


def written() -> ExpectedRows:
    """Everything that is in the database, once all rounds are counted."""
    projector.catch_up()
    stats = ExpectedRows()
    for row in map(_without_id, Result.objects.order_by().values()):
        key = row.pop("user_id"), row.pop("round_id")
        del row["hands"]
        stats.results[key] = row
    for row in map(_without_id, Tally.objects.order_by().values()):
        whose = row.pop("user_id"), row.pop("rules_key"), row.pop("day")
        stats.tallies[whose] = row
    for row in map(_without_id, Standing.objects.order_by().values()):
        user_id = row.pop("user_id")
        stats.standings[user_id] = row
    return stats


def _without_id(row: Row) -> Row:
    """Without what the site needs alone."""
    return {name: value for name, value in row.items() if name not in ("id", "last_at")}


def _was_in_history(user: User, at: dt.datetime, now: dt.datetime) -> bool:
    """Whether a round that ended at ``at`` stood in the history of this player at ``now``."""
    since = user.history_since
    return since is None or since >= now or at > since


def _result(stats: ExpectedRows, round_: Round, user: User, hands: list[Hand]) -> Row:
    assert round_.finished_at is not None
    game = round_.shoe_id if round_.rules_key == "piles" else None
    earlier = [
        key
        for key, row in stats.results.items()
        if key[0] == user.pk
        and row["game_id"] == game is not None
        and _was_in_history(user, row["finished_at"], round_.finished_at)
    ]
    return {
        "table_id": round_.table_id,
        "game_id": game,
        "rules_key": round_.rules_key,
        "seat": hands[0].seat,
        "opens_game": not earlier,
        "finished_at": round_.finished_at,
        "decisions": sum(
            json.loads(change.command)["t"] in DECIDED
            for change in round_.changes.all()
            if change.user_id == user.pk
        ),
        "had_hints": False,  # nobody turns them on in what this recomputes
        "is_behind": False,  # nor bets behind
        "outcome": hands[0].outcome if len(hands) == 1 else _together(hands),
        "stake": sum(hand.stake + hand.insurance_stake for hand in hands),
        "payout": sum(hand.payout + hand.insurance_payout for hand in hands),
    }


def _together(hands: list[Hand]) -> str:
    came_to = sum(hand.payout for hand in hands) - sum(hand.stake for hand in hands)
    return "win" if came_to > 0 else "lose" if came_to < 0 else "push"


def _count(
    stats: ExpectedRows,
    round_: Round,
    user: User,
    hands: list[Hand],
    result: Row,
    streaks: dict[tuple[int, str], int],
) -> None:
    assert round_.finished_at is not None
    outcomes = [hand.outcome for hand in hands]
    net = result["payout"] - result["stake"]
    is_won = result["outcome"] in ("win", "blackjack")
    is_push = result["outcome"] == "push"
    for key in ("", round_.rules_key):
        if not is_push:
            streaks[user.pk, key] = streaks[user.pk, key] + 1 if is_won else 0
        whose = user.pk, key, round_.finished_at.date()
        day = stats.tallies.get(whose, defaultdict(int))
        stats.tallies[whose] = {
            "rounds": day["rounds"] + 1,
            "won": day["won"] + is_won,
            "lost": day["lost"] + (not is_won and not is_push),
            "pushed": day["pushed"] + is_push,
            "blackjacks": day["blackjacks"] + outcomes.count("blackjack"),
            "busts": day["busts"] + outcomes.count("bust"),
            "doubles": day["doubles"] + len([hand for hand in hands if hand.is_doubled]),
            "splits": day["splits"] + len(hands) - 1,
            "staked": day["staked"] + result["stake"],
            "net": day["net"] + net,
            "biggest_win": max(day["biggest_win"], net),
            "streak": streaks[user.pk, key],
            "longest_streak": max(day["longest_streak"], is_won * streaks[user.pk, key]),
        }


def _stand(stats: ExpectedRows, user: User, result: Row) -> None:
    before = stats.standings.get(user.pk, {"rounds": 0, "net": 0})
    rounds = before["rounds"] + 1
    net = before["net"] + result["payout"] - result["stake"]
    stats.standings[user.pk] = {
        "rounds": rounds, "net": net, "per_hundred": (net * 100) // rounds,
    }  # fmt: skip
