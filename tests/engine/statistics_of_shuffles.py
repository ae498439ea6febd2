"""How likely it is that a fair shuffle looks like this one, without scipy."""

from __future__ import annotations

from collections.abc import Iterable
from math import erfc, sqrt

IMPROBABLE = 1e-6
"""A test fails below this: a fair shuffle would fail it once in a million."""


def p_value(chi_square: float, degrees: int) -> float:
    """The chance of a sum of squares at least this large (Wilson and Hilferty, 1931).

    The cube root of chi-square over its degrees of freedom is nearly normal.
    """
    spread = 2 / (9 * degrees)
    z = ((chi_square / degrees) ** (1 / 3) - (1 - spread)) / sqrt(spread)
    return erfc(z / sqrt(2)) / 2


def sum_of_squares(counts: Iterable[int], expected: float) -> float:
    """Pearson's sum over all cells."""
    return sum((count - expected) ** 2 / expected for count in counts)


def p_of_places(shuffles: Iterable[list[int]], size: int) -> float:
    """The chance that every card lies in every place as often as it did, or less evenly.

    ``shuffles`` are orders of ``range(size)``. Every row and every column of the table of card by
    place has the same sum, so its cells have ``(size - 1)`` squared degrees of freedom; and since
    every shuffle fills ``size`` of them at once, the sum of squares is larger than that of
    independent counts by ``size / (size - 1)``.
    """
    table = [[0] * size for _ in range(size)]
    number = 0
    for order in shuffles:
        number += 1
        for place, card in enumerate(order):
            table[place][card] += 1
    counts = (count for row in table for count in row)
    return p_value(sum_of_squares(counts, number / size) * (size - 1) / size, (size - 1) ** 2)


def is_within(count: int, tries: int, probability: float, *, deviations: float = 4.5) -> bool:
    """Whether something of this ``probability`` was seen about as often as it should."""
    expected = tries * probability
    return abs(count - expected) < deviations * sqrt(expected * (1 - probability))
