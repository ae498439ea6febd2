"""Events of a table besides those of the cards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

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
    IDLE = "idle"
    """No bet came from it for minutes, while nobody else's round was waited for."""
    NO_ANSWER = "no_answer"
    """Asked whether to play again, the player did not say."""
    FREED = "freed"
    """Who runs the table freed it."""
    CLOSED = "closed"
    """The table was closed."""
    FEWER_SEATS = "fewer_seats"
    """The house has taken the seat away."""


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A seat is free again."""

    seat: int
    player: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class PlayerAway:
    """No page of a seated player is open at this table any more."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class PlayerBack:
    """A seated player who was away has a page open again."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """A stake lies on the coming round, in hundredths; 0 where nothing is staked."""

    seat: int
    stake: int


@dataclass(frozen=True, slots=True)
class BetReturned:
    """A player took the stake back before the cards fell: left, or bets something else."""

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
class WordsCommitted:
    """A player has committed to words for the next shuffle, or for the one after it."""

    seat: int
    commitment: str
    """SHA-256 of ``seat:words``, in hexadecimal."""


@dataclass(frozen=True, slots=True)
class ShoeShuffled:
    """A sealed shoe was put in order by its secret and these words; the first card follows."""

    shoe: int
    words: list[dict[str, Any]]
    """``seat``, ``player``, ``commitment`` (or null) and ``words`` of each seat that has bet."""
    absent: list[dict[str, Any]]
    """``seat``, ``player`` and ``commitment`` of seats that have committed and not bet."""


@dataclass(frozen=True, slots=True)
class ShoeOpened:
    """A shoe was retired: with its secret everybody can check what was dealt."""

    shoe: int
    secret: str
    """In hexadecimal."""


@dataclass(frozen=True, slots=True)
class RoundBrokenOff:
    """The round that was played is void, and every stake went back."""

    round: int
    because: str


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """An operator has declared an earlier round void: its money went back."""

    round: int


@dataclass(frozen=True, slots=True)
class TableLocked:
    """Nobody new may sit down."""


@dataclass(frozen=True, slots=True)
class TableUnlocked:
    """Everybody who sees the table may sit down again."""


@dataclass(frozen=True, slots=True)
class ChatSwitched:
    """The chat was switched on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class InviteRenewed:
    """The table has a new code, which only its own people are told."""


@dataclass(frozen=True, slots=True)
class TableHandedOn:
    """Somebody else runs the table now."""

    player: str


@dataclass(frozen=True, slots=True)
class TablePaused:
    """The house has paused the table: after the round that is played, no other begins."""

    because: str


@dataclass(frozen=True, slots=True)
class TableResumed:
    """The table takes bets again."""


@dataclass(frozen=True, slots=True)
class TableChanged:
    """The house has changed the table: its rules, its clocks, or who may come."""


@dataclass(frozen=True, slots=True)
class TableClosing:
    """The round that is played is the last one."""


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is put away for good."""


TableEvent = (
    PlayerSat
    | PlayerLeft
    | PlayerAway
    | PlayerBack
    | TableLocked
    | TableUnlocked
    | ChatSwitched
    | InviteRenewed
    | TableHandedOn
    | TablePaused
    | TableResumed
    | TableChanged
    | TableClosing
    | TableClosed
    | BetPlaced
    | BetReturned
    | ClockRanOut
    | ClockExtended
    | ShoeSealed
    | WordsCommitted
    | ShoeShuffled
    | ShoeOpened
    | RoundBrokenOff
    | RoundVoided
    | CardsCollected
    | GameEnded
)
