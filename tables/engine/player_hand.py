"""A player's hand in play, an insurance, and the turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from tables.engine.events import Outcome
from tables.engine.hand import Hand


@dataclass(frozen=True, slots=True)
class Turn:
    """The hand with the current decision; seats and hands count from 1."""

    seat: int
    hand: int


@dataclass(slots=True)
class Insurance:
    """The insurance of a seat. Amounts in hundredths."""

    stake: int
    """0: declined."""
    payout: int = 0
    """With the returned stake; 0 until the dealer has checked."""


@dataclass(slots=True)
class PlayerHand:
    """A hand in play: its cards, stake and decisions."""

    hand: Hand
    stake: int
    is_doubled: bool = False
    has_stood: bool = False
    outcome: Outcome | None = None
    payout: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the dealer's hand will decide its outcome."""
        return self.outcome is None

    def to_state(self) -> dict[str, Any]:
        """The hand as plain JSON values; what is false or empty is left out."""
        state: dict[str, Any] = {"cards": str(self.hand), "stake": self.stake}
        if self.hand.from_split:
            state["from_split"] = True
        if self.is_doubled:
            state["doubled"] = True
        if self.has_stood:
            state["stood"] = True
        if self.outcome is not None:
            state |= {"outcome": self.outcome, "payout": self.payout}
        return state

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The hand that :meth:`to_state` stored."""
        return cls(
            hand=Hand.parse(state["cards"], from_split=state.get("from_split", False)),
            stake=state["stake"],
            is_doubled=state.get("doubled", False),
            has_stood=state.get("stood", False),
            outcome=Outcome(state["outcome"]) if state.get("outcome") else None,
            payout=state.get("payout", 0),
        )
