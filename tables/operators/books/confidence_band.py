"""The 95 % confidence band of a rule set's revenue.

The arithmetic is that of a sum of independent rounds. A play of bet b, with the player's edge e
and the standard deviation s in units of the bet, makes -e·b for the house, give or take s·b.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Final

Z95: Final = 1.959964
"""So many standard deviations to either side hold 95 % of a normal distribution."""

TOGETHER: Final = 0.45
"""What two plays of one round share of their variance, because they play against one dealer.
Simulations of two seats give 0.36 (casino, vegas) to 0.43 (pot)."""

FEWEST: Final = 100
"""With fewer plays of equal bets nothing is said: a sum of so few is not normal yet."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a rule set by simulation. Edge and deviation are in units of the bet."""

    edge: float
    """The player's; below 0 the house wins."""
    deviation: float
    rounds: int
    """Simulated."""
    strategy: str

    @property
    def standard_error(self) -> float:
        """Of the edge."""
        return self.deviation / sqrt(self.rounds)


@dataclass(frozen=True, slots=True)
class Played:
    """What was played under one rule set. Amounts in hundredths."""

    known: Known
    rounds: int
    plays: int
    bets: float
    """The sum of the first bets."""
    bets_squared: float
    """The sum of their squares."""


@dataclass(frozen=True, slots=True)
class Band:
    """What the house should have made, in hundredths."""

    expected: float
    half: float
    """From the middle of the band to either end."""
    plays: float
    """Of how many equal bets the sum is as steady as this one."""

    @property
    def low(self) -> float:
        """Where the band begins, in hundredths."""
        return self.expected - self.half

    @property
    def high(self) -> float:
        """Where it ends."""
        return self.expected + self.half

    @property
    def says_something(self) -> bool:
        """Whether there are enough plays for a band."""
        return self.plays >= FEWEST

    def is_outside(self, made: float) -> bool:
        """Whether a result would surprise, which 5 of 100 honest ones do."""
        return self.says_something and not self.low <= made <= self.high


def band(played: Iterable[Played]) -> Band:
    """The band of what was played under several rule sets, each of them given once.

    Rounds of several players count as though bets did not depend on the company: a round of n
    players has n plays that go up and down together (:data:`TOGETHER`).
    """
    expected, variance, bets, squares = 0.0, 0.0, 0.0, 0.0
    for of in played:
        expected -= of.known.edge * of.bets
        company = 1 + TOGETHER * (_company(of) - 1)
        variance += of.known.deviation**2 * of.bets_squared * company
        variance += (of.known.standard_error * of.bets) ** 2
        bets += of.bets
        squares += of.bets_squared
    return Band(expected, Z95 * sqrt(variance), bets * bets / squares if squares else 0.0)


_SEATS = 3
"""At the largest tables."""


def _company(played: Played) -> float:
    """How many play in the round of a play, on average over the plays.

    How many played each round is not kept; rounds of one player and of a full table are the most
    uneven way to come to the same sums, and the one with the widest band.
    """
    if not played.plays:
        return 1.0
    return _SEATS + 1 - _SEATS * played.rounds / played.plays
