"""Scores of hands and rounds, for seats, statistics and streaks."""

from __future__ import annotations

from collections.abc import Sequence

from tables.engine.events import Outcome
from tables.models import LOST, WON, Hand, Seat, Tally


def score_of(outcome: str) -> str:
    """Whether an outcome is ``won``, ``lost`` or ``pushed``."""
    if outcome in WON:
        return "won"
    return "lost" if outcome in LOST else "pushed"


def score_seat(seat: Seat, hand: Hand, *, is_staked: bool, sign: int = 1) -> None:
    """Add a hand to the seat's score, money or counts (seed 000); a ``sign`` of -1 subtracts it."""
    if is_staked:
        seat.net += sign * hand.net
    else:
        name = score_of(hand.outcome)
        setattr(seat, name, getattr(seat, name) + sign)


def count_hands(tally: Tally, hands: Sequence[Hand], sign: int = 1) -> None:
    """Add the hands of one round to a tally; a ``sign`` of -1 subtracts them."""
    tally.blackjacks += sign * sum(hand.outcome == Outcome.BLACKJACK for hand in hands)
    tally.busts += sign * sum(hand.outcome == Outcome.BUST for hand in hands)
    tally.doubles += sign * sum(hand.is_doubled for hand in hands)
    tally.splits += sign * (len(hands) - 1)


def next_streak(streak: int, outcome: str) -> int:
    """The number of rounds won in a row after this outcome; a push keeps the streak."""
    if outcome in WON:
        return streak + 1
    return 0 if outcome in LOST else streak
