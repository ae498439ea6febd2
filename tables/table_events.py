"""What happens at a table besides the cards, as facts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class PlayerSat:
    """Somebody took a free seat."""

    seat: int
    player: str


class Reason(StrEnum):
    """Why a seat is free again."""

    LEFT = "left"
    """The player gave it back."""
    MISSED_ROUNDS = "missed_rounds"
    """No bet came from it for two rounds in a row."""
    ABSENT = "absent"
    """No page of the player was open for a minute."""


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A seat is free again."""

    seat: int
    player: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """A stake lies on the coming round, in hundredths; 0 where nothing is staked."""

    seat: int
    stake: int


@dataclass(frozen=True, slots=True)
class BetReturned:
    """A player left before the cards fell and took the stake back."""

    seat: int
    stake: int


@dataclass(frozen=True, slots=True)
class ClockRanOut:
    """Time was up: betting closed, or the hand at ``seat`` stood by itself."""

    seat: int | None = None
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class ClockExtended:
    """The server was away, so whoever is to decide has time again."""


TableEvent = PlayerSat | PlayerLeft | BetPlaced | BetReturned | ClockRanOut | ClockExtended
