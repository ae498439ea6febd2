"""What happened in a round, as facts. None of them ever carries a card that is face down."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from typing import Any

from tables.engine.cards import Card


class Outcome(StrEnum):
    """How a hand ended."""

    BLACKJACK = "blackjack"
    """A natural where naturals are paid; elsewhere a two-card 21 that wins is a WIN."""
    WIN = "win"
    PUSH = "push"
    LOSE = "lose"
    BUST = "bust"
    SURRENDER = "surrender"
    """Given up for half the stake."""


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


@dataclass(frozen=True, slots=True)
class InsuranceTaken:
    """Half the stake was put on the dealer's having a natural."""

    seat: int
    stake: int
    """In hundredths."""


@dataclass(frozen=True, slots=True)
class InsuranceDeclined:
    """The player takes no insurance."""

    seat: int


@dataclass(frozen=True, slots=True)
class InsuranceSettled:
    """The dealer had looked: insurance paid 2:1 or was lost. ``payout`` includes the stake."""

    seat: int
    stake: int
    payout: int


Event = (
    CardDealt
    | DealerCardDealt
    | HoleCardPeeked
    | HoleCardRevealed
    | InsuranceTaken
    | InsuranceDeclined
    | InsuranceSettled
    | HandStood
    | HandDoubled
    | HandSplit
    | HandSettled
)


def plain_event(event: Any) -> dict[str, Any]:
    """An event as it is written down: its snake_case name as ``type``, and its fields.

    >>> plain_event(HandStood(2, 1))
    {'type': 'hand_stood', 'seat': 2, 'hand': 1}
    """
    kind: type = type(event)
    written, names = _names_of(kind)
    return {"type": written, **{name: _plain(getattr(event, name)) for name in names}}


@cache
def _names_of(kind: type) -> tuple[str, tuple[str, ...]]:
    """The written name of a kind of event, and those of its fields."""
    return snake_case(kind.__name__), tuple(field.name for field in fields(kind))


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Card) else value


def snake_case(name: str) -> str:
    """The written name of a class: ``CardDealt`` is ``card_dealt``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
