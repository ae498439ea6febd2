"""Settled hands: value objects, stored as JSON in ``Result.hands``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import msgspec


class DamagedHands(ValueError):
    """A text that is not of hands."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A settled hand of a player. Amounts are in hundredths; the payout includes the stake."""

    round_id: int
    seat: int
    number: int
    """1, or more for hands of a split."""
    user_id: int
    cards: str
    total: int
    is_doubled: bool
    outcome: str
    stake: int
    payout: int
    insurance_stake: int = 0
    """The insurance stake, with the first hand of a seat only."""
    insurance_payout: int = 0
    is_behind: bool = False
    """Whether ``user_id`` has bet behind the seat: then the stake may be 0, on a hand of a split that
    has none of it, and ``is_doubled`` says whether this stake was doubled."""

    @property
    def staked(self) -> int:
        """The stake, with insurance."""
        return self.stake + self.insurance_stake

    @property
    def paid(self) -> int:
        """The payout, with insurance."""
        return self.payout + self.insurance_payout

    @property
    def net(self) -> int:
        return self.paid - self.staked


def encode_hands(hands: Iterable[Hand]) -> str:
    """The text of a player's hands in a round: a JSON list of cards, total, 1 if doubled, outcome,
    stake and payout for each, and of an insurance its stake and payout.
    """
    return msgspec.json.encode([list(_list_values(hand)) for hand in hands]).decode()


def _list_values(hand: Hand) -> Iterator[str | int]:
    yield from (hand.cards, hand.total, int(hand.is_doubled), hand.outcome, hand.stake, hand.payout)
    if hand.insurance_stake or hand.insurance_payout:
        yield from (hand.insurance_stake, hand.insurance_payout)


def decode_hands(
    text: str, *, round_id: int, seat: int, user_id: int, is_behind: bool = False
) -> list[Hand]:
    """The hands of a text by :func:`encode_hands`; none of an empty one. Raises :class:`DamagedHands`."""
    if not text:
        return []
    try:
        hands = _decode(text, round_id, seat, user_id)
    except (ValueError, TypeError) as error:
        raise DamagedHands(f"round {round_id}, seat {seat}: {error}") from error
    return [replace(hand, is_behind=True) for hand in hands] if is_behind else hands


def _decode(text: str, round_id: int, seat: int, user_id: int) -> list[Hand]:
    return [
        Hand(
            round_id, seat, number, user_id, cards, total, bool(is_doubled), outcome, stake, payout,
            *insurance,
        )
        for number, (cards, total, is_doubled, outcome, stake, payout, *insurance) in enumerate(
            msgspec.json.decode(text), start=1
        )
    ]  # fmt: skip
