"""Plans: what a player decides ahead, while others play."""

from __future__ import annotations

from enum import StrEnum


class Plan(StrEnum):
    """What to do with the hand when its turn comes."""

    STAND = "stand"
    HIT_TO_17 = "hit_to_17"
    """Hit on a hard total up to 16 and on a soft total up to 17; stand on everything else."""
    BEST = "best"
    """At each decision the action of the highest value, as a hint would show it."""
