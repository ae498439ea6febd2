"""What happens at a table besides the cards, as facts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tables.engine.piles import CardsCollected, GameEnded


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
    NO_ANSWER = "no_answer"
    """Asked whether to play again, the player did not say."""


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
    """Time was up: betting closed, or for the hand at ``seat`` nothing more was done or staked."""

    seat: int | None = None
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class ClockExtended:
    """The server was away, so whoever is to decide has time again."""


@dataclass(frozen=True, slots=True)
class ShoeSealed:
    """A new shoe is ready. What it holds is fixed by a secret that only its seal is known of."""

    shoe: int
    commitment: str
    """SHA-256 of the secret, in hexadecimal."""


@dataclass(frozen=True, slots=True)
class ShoeOpened:
    """A shoe was retired: with its secret everybody can check what was dealt."""

    shoe: int
    secret: str
    """In hexadecimal."""


TableEvent = (
    PlayerSat
    | PlayerLeft
    | BetPlaced
    | BetReturned
    | ClockRanOut
    | ClockExtended
    | ShoeSealed
    | ShoeOpened
    | CardsCollected
    | GameEnded
)
