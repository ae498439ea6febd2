"""What happened in a round, as facts. None of them ever carries a card that is face down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tables.engine.cards import Card


class Outcome(StrEnum):
    """How a hand ended."""

    BLACKJACK = "blackjack"
    """A natural where naturals are paid; elsewhere a two-card 21 that wins is a WIN."""
    WIN = "win"
    PUSH = "push"
    LOSE = "lose"
    BUST = "bust"


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A card to a player's hand, face up."""

    seat: int
    hand: int
    card: Card


@dataclass(frozen=True, slots=True)
class DealerCardDealt:
    """A card to the dealer; ``card`` is ``None`` for the hole card, which lies face down."""

    card: Card | None


@dataclass(frozen=True, slots=True)
class HoleCardPeeked:
    """The dealer looked at the hole card and has no natural. (With one it is revealed.)"""


@dataclass(frozen=True, slots=True)
class HoleCardRevealed:
    """The hole card was turned over."""

    card: Card


@dataclass(frozen=True, slots=True)
class HandStood:
    """The player takes no more cards on this hand."""

    seat: int
    hand: int


@dataclass(frozen=True, slots=True)
class HandDoubled:
    """The stake of a hand was matched for exactly one card more."""

    seat: int
    hand: int
    stake: int
    """What was added, in hundredths."""


@dataclass(frozen=True, slots=True)
class HandSplit:
    """A hand became two neighbours, ``hand`` and ``hand + 1``, each with one of its cards."""

    seat: int
    hand: int
    stake: int
    """What was put on the new hand, in hundredths."""


@dataclass(frozen=True, slots=True)
class HandSettled:
    """A hand ended. ``payout`` includes the returned stake; both are in hundredths."""

    seat: int
    hand: int
    outcome: Outcome
    stake: int
    payout: int


Event = (
    CardDealt
    | DealerCardDealt
    | HoleCardPeeked
    | HoleCardRevealed
    | HandStood
    | HandDoubled
    | HandSplit
    | HandSettled
)
