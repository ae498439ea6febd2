"""Exact edges against endless cards, for players who look at nothing but their own total.

With endless cards such a player and the dealer do not disturb each other: how often each ends
with which total is computed apart, and every pair of totals is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product

CHANCES = {value: Fraction(4 if value == 10 else 1, 13) for value in range(1, 11)}
"""An ace is 1."""
BUST = 0

Hits = Callable[[int, bool], bool]
"""Whether to hit, by the total and whether it is soft."""


def best(hard: int, *, has_ace: bool) -> tuple[int, bool]:
    """The total, and whether an ace counts 11 in it."""
    is_soft = has_ace and hard + 10 <= 21
    return (hard + 10 if is_soft else hard), is_soft


def totals(hits: Hits) -> tuple[Fraction, dict[int, Fraction]]:
    """The chance of a natural, and of every final total of the hands that are none."""

    @cache
    def ends(hard: int, has_ace: bool) -> dict[int, Fraction]:
        total, is_soft = best(hard, has_ace=has_ace)
        if total > 21:
            return {BUST: Fraction(1)}
        if not hits(total, is_soft):
            return {total: Fraction(1)}
        return mixed((chance, ends(hard + v, has_ace or v == 1)) for v, chance in CHANCES.items())

    natural = 2 * CHANCES[1] * CHANCES[10]
    others = [
        (CHANCES[first] * CHANCES[second] / (1 - natural), ends(first + second, 1 in cards))
        for first, second in product(CHANCES, repeat=2)
        if (cards := {first, second}) != {1, 10}
    ]
    return natural, mixed(others)


def mixed(parts: Iterable[tuple[Fraction, dict[int, Fraction]]]) -> dict[int, Fraction]:
    """What comes of several chances, each with its own."""
    sums: dict[int, Fraction] = {}
    for chance, ends in parts:
        for end, part in ends.items():
            sums[end] = sums.get(end, Fraction(0)) + chance * part
    return sums


def dealer_hits(total: int, is_soft: bool) -> bool:
    """As every dealer of the texts does."""
    return total < 17


def edge(hits: Hits, *, natural_pays: Fraction | None, tie: int = 0) -> float:
    """The player's mean net of a unit staked; ``tie`` is -1 where the dealer wins ties.

    Where a natural is not paid it is a 21; where it is, the dealer looks for one first.
    """
    natural, player = totals(hits)
    _, dealer = totals(dealer_hits)
    if natural_pays is None:
        naturals = (natural, {21: Fraction(1)})
        player = mixed([naturals, (1 - natural, player)])
        dealer = mixed([naturals, (1 - natural, dealer)])
        return float(_compared(player, dealer, tie))
    other = 1 - natural
    blackjacks = natural * other * natural_pays - other * natural
    return float(blackjacks + other * other * _compared(player, dealer, tie))


def _compared(player: dict[int, Fraction], dealer: dict[int, Fraction], tie: int) -> Fraction:
    return sum(
        (
            chance
            * other
            * (-1 if mine == BUST else tie if mine == theirs else _sign(mine - theirs))
            for mine, chance in player.items()
            for theirs, other in dealer.items()
        ),
        Fraction(0),
    )


def _sign(difference: int) -> int:
    return 1 if difference > 0 else -1
