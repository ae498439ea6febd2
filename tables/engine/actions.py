"""The decisions of a player."""

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
    """Decline insurance."""

    @property
    def is_about_insurance(self) -> bool:
        """Whether this is a decision about insurance, not about playing a hand."""
        return self in (Action.INSURE, Action.DECLINE)
