"""A row of the revenue table, with its expected range."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, fields
from typing import Final

from tables.operators.books.confidence_band import Band, Known, Played
from tables.operators.books.house_edge import Way

Key = dt.date | int | Way
"""What a row is about: the first day of a time, a table's id, a way to play."""


@dataclass(slots=True)
class Sums:
    """Takings added up, voids with the rest and beside it. Amounts in hundredths."""

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

    def add(self, other: Sums) -> None:
        """Count these as well."""
        for name in NAMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def played(self, known: Known) -> Played:
        """What was played and is not void. First bets are not kept apart for voids: they are
        taken to have been the same share of all that was staked.
        """
        share = 1 - self.void_staked / self.staked if self.staked else 0.0
        rounds, plays = self.rounds - self.void_rounds, self.plays - self.void_plays
        return Played(known, rounds, plays, self.bets * share, self.bets_squared * share)


NAMES: Final = tuple(one.name for one in fields(Sums))


@dataclass(slots=True)
class Row:
    """One line of the books: a day, a week, a month, a table, a rule set, or all of it."""

    key: Key | None
    sums: Sums = field(default_factory=Sums)
    by_way: dict[Way, Sums] = field(default_factory=dict)
    band: Band | None = None
    """``None`` where nothing is staked, and while the edge of a rule set is being worked out."""
    left_out: frozenset[Way] = frozenset()
    """The ways to play that cannot be simulated. The band and what is held to it are of the rest.
    """
    name: str = ""

    def take(self, way: Way, sums: Sums) -> None:
        """Count what was played one way."""
        self.sums.add(sums)
        self.by_way.setdefault(way, Sums()).add(sums)

    # Without voids

    @property
    def rounds(self) -> int:
        """How many rounds were dealt."""
        return self.sums.rounds - self.sums.void_rounds

    @property
    def plays(self) -> int:
        """How many players played one; of two in a round each counts."""
        return self.sums.plays - self.sums.void_plays

    @property
    def staked(self) -> int:
        """The handle."""
        return self.sums.staked - self.sums.void_staked

    @property
    def paid(self) -> int:
        """What went back to players, stakes included."""
        return self.sums.paid - self.sums.void_paid

    @property
    def made(self) -> int:
        """What the house won; below zero it lost."""
        return self.staked - self.paid

    @property
    def judged(self) -> Row:
        """What the band is about: all of it, or the part that can be simulated."""
        rest = Row(self.key)
        for way, sums in self.by_way.items():
            if way not in self.left_out:
                rest.take(way, sums)
        return rest

    def of_staked(self, amount: float) -> float | None:
        """An amount as a share of what was staked, in per cent."""
        return 100 * amount / self.staked if self.staked > 0 else None

    @property
    def hold(self) -> float | None:
        """What the house kept of what was staked, in per cent."""
        return self.of_staked(self.made)

    @property
    def expected_hold(self) -> float | None:
        """What it would keep in the long run; ``None`` without a band, like the two below."""
        return self.judged.of_staked(self.band.expected) if self.band else None

    @property
    def low_hold(self) -> float | None:
        """Where the band begins, in per cent of what was staked."""
        return self.judged.of_staked(self.band.low) if self.band else None

    @property
    def high_hold(self) -> float | None:
        """Where it ends."""
        return self.judged.of_staked(self.band.high) if self.band else None

    @property
    def verdict(self) -> str:
        """``nothing`` staked, ``unsimulated``, edge ``unknown`` yet, too ``few`` plays,
        ``inside``, ``outside``.
        """
        if self.staked <= 0:
            return "nothing"
        if self.left_out and self.judged.staked <= 0:
            return "unsimulated"
        if self.band is None:
            return "unknown"
        if not self.band.says_something:
            return "few"
        return "outside" if self.band.is_outside(self.judged.made) else "inside"
