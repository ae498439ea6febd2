"""The chances of the next card and of the dealer's hand, from the cards that are not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tables.odds.dealer_hands import DealerHands, Floats
from tables.odds.hands import KINDS, Ints

IMPOSSIBLE: Final = -1e300
"""The logarithm of 0, but finite: 0 times it is 0."""
ROWS_AT_ONCE: Final = 128


class CannotHappenError(ValueError):
    """The known cards contradict what is asked, or leave too few cards."""


@dataclass(frozen=True, slots=True)
class UnseenCards:
    """The cards that may be the dealer's hole card or come next, each equally likely.

    The methods take rows of cards of the player that are gone as well, numbers by kind.
    """

    counts: Ints
    """``(10,)``: their number by kind."""
    hole_is_not: int | None
    """The kind that the hole card is known not to be, after the dealer's check."""

    def draw_chances(self, removed: Ints) -> Floats:
        """``(rows, 10)``: the chance of each kind to come next, which is not the hole card."""
        remaining = np.maximum(self.counts - removed, 0).astype(float)
        number = remaining.sum(axis=1, keepdims=True)
        excluded = self.hole_is_not
        if excluded is None:
            return remaining / np.maximum(number, 1)
        # The hole card is one of the others: a card of the excluded kind is more often among the
        # rest, where one of the n - 1 places is free for each of them.
        others = number - remaining[:, [excluded]]
        chances = remaining * (others - 1) / np.maximum(others * (number - 1), 1)
        chances[:, excluded] = remaining[:, excluded] / np.maximum(number[:, 0] - 1, 1)
        return chances

    def dealer_chances(self, removed: Ints, dealer: DealerHands) -> Floats:
        """``(rows, dealer's rows)``: the chance of each of the dealer's hands.

        In one order that is the product of n(n-1)...(n-d+1) over the kinds, by the same of all
        cards. As a sum of logarithms that depend on two small numbers each it is one product of
        matrices.
        """
        most = int(removed.max(initial=0))
        number = int(self.counts.sum())
        sizes = removed.sum(axis=1)
        least_size = int(sizes.min(initial=0))
        rows = np.arange(len(removed))
        used = [int(kind_most) for kind_most in removed.max(axis=0, initial=0)]
        width = sum(used) + KINDS + int(sizes.max(initial=0)) - least_size + 1
        is_row = np.zeros((len(removed), width))
        logarithms = np.empty((width, len(dealer.orders)))
        falls = _log_falls(max(int(self.counts.max()), most), int(dealer.drawn.max()))
        start = 0
        for kind, kind_most in enumerate(used):
            is_row[rows, start + removed[:, kind]] = 1
            remaining = np.maximum(self.counts[kind] - np.arange(kind_most + 1), 0)
            logarithms[start : start + kind_most + 1] = falls[remaining][:, dealer.drawn[:, kind]]
            start += kind_most + 1
        is_row[rows, start + sizes - least_size] = 1
        remaining = np.maximum(number - np.arange(least_size, int(sizes.max(initial=0)) + 1), 0)
        logarithms[start:] = -self._log_ways(remaining, dealer.size)
        chances: Floats = np.empty((len(removed), len(dealer.orders)))
        for start in range(0, len(removed), ROWS_AT_ONCE):  # as much as a cache holds
            part = chances[start : start + ROWS_AT_ONCE]
            np.matmul(is_row[start : start + ROWS_AT_ONCE], logarithms, out=part)
            np.exp(part, out=part)
            part *= dealer.orders
        if self.hole_is_not is not None:
            chances /= self._chance_of_hole(removed)[:, None]
        return chances

    def _chance_of_hole(self, removed: Ints) -> Floats:
        """``(rows,)``: the chance, before the dealer's check, that the check finds no natural; 1
        for hands that cannot be there after it.
        """
        remaining = np.maximum(self.counts - removed, 0)
        number = remaining.sum(axis=1)
        chance = 1 - remaining[:, self.hole_is_not] / np.maximum(number, 1)
        return np.where(chance > 0, chance, 1)

    def _log_ways(self, remaining: Ints, sizes: Ints) -> Floats:
        """The logarithm of the number of ways to draw ``sizes`` from ``remaining`` cards; large
        where there are none, so that the chance is 0.
        """
        falls = _log_falls(int(remaining.max()), int(sizes.max()))
        logs: Floats = falls[remaining][:, sizes]
        return np.where(logs <= IMPOSSIBLE, -IMPOSSIBLE, logs)


def _log_falls(most: int, drawn: int) -> Floats:
    """``(most + 1, drawn + 1)``: log of n(n-1)...(n-d+1) for each n and d."""
    factors = np.arange(most + 1)[:, None] - np.arange(drawn)[None, :]
    logs = np.full(factors.shape, IMPOSSIBLE)
    np.log(factors, out=logs, where=factors > 0)
    falls = np.zeros((most + 1, drawn + 1))
    falls[:, 1:] = np.maximum(np.cumsum(logs, axis=1), IMPOSSIBLE)
    return falls
