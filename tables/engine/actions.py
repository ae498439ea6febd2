"""What a player can decide about a hand."""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """A decision, by the word players and messages use for it."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE_DOWN = "double"
    SPLIT = "split"
