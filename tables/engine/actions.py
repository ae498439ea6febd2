"""What a player can decide."""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """A decision, by the word players and messages use for it."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE_DOWN = "double"
    SPLIT = "split"
    SURRENDER = "surrender"
    INSURE = "insure"
    """Take insurance against the dealer's natural, for half the stake."""
    DECLINE = "decline"
    """Take no insurance."""

    @property
    def is_about_insurance(self) -> bool:
        """Whether this answers the question of insurance and not how to play a hand."""
        return self in (Action.INSURE, Action.DECLINE)
