"""The events of a round. They never contain a face-down card."""

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
    """A paid natural. In other rule sets a winning two-card 21 is a WIN."""
    WIN = "win"
    PUSH = "push"
    LOSE = "lose"
    BUST = "bust"
    SURRENDER = "surrender"
    """Surrendered for half the stake."""


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A card to a player's hand, face up."""

    seat: int
    hand: int
    card: Card


@dataclass(frozen=True, slots=True)
class DealerCardDealt:
    """A card to the dealer; ``card`` is ``None`` for the face-down hole card."""

    card: Card | None


@dataclass(frozen=True, slots=True)
class HoleCardPeeked:
    """The dealer checked the hole card and has no natural. (A natural is revealed.)"""


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
    """The stake of a hand was doubled for exactly one card."""

    seat: int
    hand: int
    stake: int
    """The added stake, in hundredths."""


@dataclass(frozen=True, slots=True)
class HandSplit:
    """A hand became two neighbours, ``hand`` and ``hand + 1``, each with one of its cards."""

    seat: int
    hand: int
    stake: int
    """The stake of the new hand, in hundredths."""


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
    """Insurance was taken for half the stake."""

    seat: int
    stake: int
    """In hundredths."""


@dataclass(frozen=True, slots=True)
class InsuranceDeclined:
    """The player takes no insurance."""

    seat: int


@dataclass(frozen=True, slots=True)
class InsuranceSettled:
    """Insurance was paid 2:1 or lost, after the dealer's check. ``payout`` includes the stake."""

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


def event_to_dict(event: Any) -> dict[str, Any]:
    """Convert an event to plain values: its snake_case name as ``type``, and its fields.

    >>> event_to_dict(HandStood(2, 1))
    {'type': 'hand_stood', 'seat': 2, 'hand': 1}
    """
    kind: type = type(event)
    written, names = _wire_names(kind)
    return {"type": written, **{name: _plain_value(getattr(event, name)) for name in names}}


@cache
def _wire_names(kind: type) -> tuple[str, tuple[str, ...]]:
    """The written name of a kind of event, and those of its fields."""
    return snake_case(kind.__name__), tuple(field.name for field in fields(kind))


def _plain_value(value: Any) -> Any:
    return str(value) if isinstance(value, Card) else value


def snake_case(name: str) -> str:
    """The written name of a class: ``CardDealt`` is ``card_dealt``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
