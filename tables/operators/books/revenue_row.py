"""A row of the revenue table, with its expected range."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, fields
from typing import Final

from tables.odds.games import Game
from tables.operators.books.confidence_band import ConfidenceBand, PlayTotals
from tables.operators.books.house_edge import RuleVariant

Key = dt.date | int | RuleVariant
"""The key of a row: the first day of a period, a table's id, or a combination."""


@dataclass(slots=True)
class RevenueSums:
    """Summed takings: with voids, and voids separately. Amounts in hundredths."""

    rounds: int = 0
    plays: int = 0
    staked: int = 0
    paid: int = 0
    bets: int = 0
    bets_squared: float = 0.0
    void_rounds: int = 0
    void_plays: int = 0
    void_staked: int = 0
    void_paid: int = 0

    def add(self, other: RevenueSums) -> None:
        """Add other sums."""
        for name in NAMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def to_play_totals(self, game: Game) -> PlayTotals:
        """Return the play without voids, whose first bets are estimated from their stakes."""
        share = 1 - self.void_staked / self.staked if self.staked else 0.0
        rounds, plays = self.rounds - self.void_rounds, self.plays - self.void_plays
        return PlayTotals(
            game.ev, game.sd, rounds, plays, self.bets * share, self.bets_squared * share
        )


NAMES: Final = tuple(one.name for one in fields(RevenueSums))


@dataclass(slots=True)
class RevenueRow:
    """One line of the books: a day, a week, a month, a table, a rule set, or the total."""

    key: Key | None
    sums: RevenueSums = field(default_factory=RevenueSums)
    by_way: dict[RuleVariant, RevenueSums] = field(default_factory=dict)
    band: ConfidenceBand | None = None
    """``None`` without stakes, and while an edge is being computed."""
    unplayable: frozenset[RuleVariant] = frozenset()
    """The combinations that no table can have any more. The band covers the others."""
    name: str = ""

    def add_combination(self, way: RuleVariant, sums: RevenueSums) -> None:
        """Add the play under one combination."""
        self.sums.add(sums)
        self.by_way.setdefault(way, RevenueSums()).add(sums)

    # Without voids

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return self.sums.rounds - self.sums.void_rounds

    @property
    def plays(self) -> int:
        """The number of plays: each player of a round counts."""
        return self.sums.plays - self.sums.void_plays

    @property
    def staked(self) -> int:
        """All stakes (the handle)."""
        return self.sums.staked - self.sums.void_staked

    @property
    def paid(self) -> int:
        """All payouts, with the stakes."""
        return self.sums.paid - self.sums.void_paid

    @property
    def made(self) -> int:
        """The house result; negative for a loss."""
        return self.staked - self.paid

    @property
    def judged(self) -> RevenueRow:
        """The row that the band covers: this one, or its part whose edge can be computed."""
        rest = RevenueRow(self.key)
        for way, sums in self.by_way.items():
            if way not in self.unplayable:
                rest.add_combination(way, sums)
        return rest

    def of_staked(self, amount: float) -> float | None:
        """An amount in per cent of the stakes."""
        return 100 * amount / self.staked if self.staked > 0 else None

    @property
    def hold(self) -> float | None:
        """The house result in per cent of the stakes."""
        return self.of_staked(self.made)

    @property
    def expected_hold(self) -> float | None:
        """The expected hold; ``None`` without a band, like the two below."""
        return self.judged.of_staked(self.band.expected) if self.band else None

    @property
    def low_hold(self) -> float | None:
        """The lower end of the band, in per cent of the stakes."""
        return self.judged.of_staked(self.band.low) if self.band else None

    @property
    def high_hold(self) -> float | None:
        """The upper end of the band, in per cent of the stakes."""
        return self.judged.of_staked(self.band.high) if self.band else None

    @property
    def verdict(self) -> str:
        """``nothing`` (staked), ``unplayable``, ``unknown``, ``few``, ``inside`` or ``outside``."""
        if self.staked <= 0:
            return "nothing"
        if self.unplayable and self.judged.staked <= 0:
            return "unplayable"
        if self.band is None:
            return "unknown"
        if not self.band.has_enough_plays:
            return "few"
        return "outside" if self.band.is_outside(self.judged.made) else "inside"
