"""Results of a round, recorded in the transaction that settles it.

Tallies, standings and takings are written later, by the projector.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from accounts.lib.sql.write import InsertRows, NewInstance
from tables.engine.events import Outcome
from tables.models import Hand, Result, Round, Table
from tables.models.hands import encode_hands
from tables.results import uncounted_rounds

_new_result = NewInstance(Result)
_insert_results = InsertRows(Result)


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round that the change settles."""

    table: Table
    round: Round
    hands: Sequence[Hand]
    """In the order of the seats, those of each seat's player before those of its backers."""
    decisions: Mapping[int, int]
    """The number of decisions by the players themselves, by seat."""
    seats_with_hints: Collection[int]
    """The seats that had hints on at any time since the deal."""


def build_results(settled: Sequence[SettledRound], now: dt.datetime) -> list[Result]:
    """Build the results of rounds that are settled ``now``, in UTC.

    They are in the order of the rounds, in which the history shows those with the same time.
    """
    all_results: list[Result] = []
    for one in sorted(settled, key=lambda one: one.round.pk):
        by_seat = groupby(one.hands, key=lambda hand: (hand.seat, hand.user_id))
        results = [_build_result(one, list(own), now) for _, own in by_seat]
        if one.round.rules.has_piles and one.round.shoe_id is not None:
            assign_games(one.round.shoe_id, results)
        all_results += results
    return all_results


def record_results(settled: Sequence[SettledRound], results: Sequence[Result]) -> None:
    """Write results in the transaction that settles their rounds, and have the rounds counted.

    Rounds with chips of a table are in no figures of money.
    """
    _insert_results(results)
    round_ids = [one.round.pk for one in settled if not one.table.has_chips]
    if round_ids:
        uncounted_rounds.add_rounds(round_ids)


def get_outcome(hands: Sequence[Hand]) -> Outcome:
    """The outcome of a player's hands in a round; of several hands, by their net together.

    Several hands exist only with stakes. An insurance is a separate bet: it changes the net of a
    round, not its outcome.
    """
    if len(hands) == 1:
        return Outcome(hands[0].outcome)
    net = sum(hand.payout - hand.stake for hand in hands)
    if net == 0:
        return Outcome.PUSH
    return Outcome.WIN if net > 0 else Outcome.LOSE


def _build_result(one: SettledRound, hands: list[Hand], now: dt.datetime) -> Result:
    seat, is_behind = hands[0].seat, hands[0].is_behind
    return _new_result(
        user_id=hands[0].user_id,
        round_id=one.round.pk,
        table_id=one.table.pk,
        rules_key=one.round.rules_key,
        seat=seat,
        finished_at=now,
        decisions=0 if is_behind else one.decisions.get(seat, 0),
        had_hints=not is_behind and seat in one.seats_with_hints,
        is_behind=is_behind,
        outcome=get_outcome(hands).value,
        stake=sum(hand.staked for hand in hands),
        payout=sum(hand.paid for hand in hands),
        hands=encode_hands(hands),
    )


def assign_games(shoe_id: int, results: list[Result]) -> None:
    """Assign the results to games. After a reset of the history a game begins again."""
    for result in results:
        result.game_id = shoe_id
        earlier = Result.objects.filter(user=result.user_id, game=shoe_id)
        result.opens_game = not earlier.shown().exists()
