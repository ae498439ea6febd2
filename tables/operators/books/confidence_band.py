"""The 95 % confidence band of a rule set's revenue.

It is the normal approximation of a sum of independent rounds. A play with bet b, player's edge e
and standard deviation s (in units of the bet) has the expected house result -e·b and deviation s·b.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Final

Z95: Final = 1.959964
"""This many standard deviations on both sides contain 95 % of a normal distribution."""

TOGETHER: Final = 0.45
"""The correlation of two plays in one round, which have the same dealer. Simulations
of two seats give 0.36 (casino, vegas) to 0.43 (pot)."""

FEWEST: Final = 100
"""With fewer equal plays there is no band: their sum is not normally distributed."""


@dataclass(frozen=True, slots=True)
class PlayTotals:
    """The play under one rule set. Amounts in hundredths."""

    edge: float
    """The player's expected net with the best play, in units of the first bet."""
    deviation: float
    """The standard deviation of a play's net, in the same units."""
    rounds: int
    plays: int
    bets: float
    """The sum of the first bets."""
    bets_squared: float
    """The sum of their squares."""


@dataclass(frozen=True, slots=True)
class ConfidenceBand:
    """The expected house result, in hundredths."""

    expected: float
    half: float
    """Half the width of the band."""
    plays: float
    """The number of equal bets with the same relative deviation."""

    @property
    def low(self) -> float:
        """The lower end, in hundredths."""
        return self.expected - self.half

    @property
    def high(self) -> float:
        """The upper end, in hundredths."""
        return self.expected + self.half

    @property
    def has_enough_plays(self) -> bool:
        """Whether there are enough plays for a band."""
        return self.plays >= FEWEST

    def is_outside(self, result: float, width: float = 1.0) -> bool:
        """Whether a result is outside the band, as 5 of 100 correct ones are.

        ``width``: how much wider the band is taken.
        """
        low, high = self.expected - width * self.half, self.expected + width * self.half
        return self.has_enough_plays and not low <= result <= high


def compute_band(played: Iterable[PlayTotals]) -> ConfidenceBand:
    """The band of the play under several rule sets, each given once.

    Bets are assumed to be independent of the number of players. A round of n players has n
    correlated plays (:data:`TOGETHER`).
    """
    expected, variance, bets, squares = 0.0, 0.0, 0.0, 0.0
    for of in played:
        expected -= of.edge * of.bets
        company = 1 + TOGETHER * (_mean_players(of) - 1)
        variance += of.deviation**2 * of.bets_squared * company
        bets += of.bets
        squares += of.bets_squared
    return ConfidenceBand(expected, Z95 * sqrt(variance), bets * bets / squares if squares else 0.0)


_SEATS = 3
"""The seats of the largest tables."""


def _mean_players(played: PlayTotals) -> float:
    """The mean number of players in the round of a play, over all plays.

    The players of each round are not stored. A mix of rounds with one player and with a full table
    has the same sums and the widest band, so it is assumed.
    """
    if not played.plays:
        return 1.0
    return _SEATS + 1 - _SEATS * played.rounds / played.plays
