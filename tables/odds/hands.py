"""All hands of a player that are not bust, as numbers of cards by points, in NumPy arrays.

The tens and the faces are one kind of card, so there are ten kinds: index 0 is the ace, 9 the ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tables.engine.cards import Card

Ints = npt.NDArray[Any]
Bools = npt.NDArray[Any]

KINDS: Final = 10
"""The number of kinds of card: 1 (the ace) to 10 points."""
ACE: Final = 0
TEN: Final = 9
POINTS: Final = np.arange(1, KINDS + 1)
BASE: Final = 23
"""More than the cards of one kind that a hand can know to be gone."""
DIGITS: Final = BASE ** np.arange(KINDS)[::-1]
"""Cards by kind, times these, are one number, in the order of the rows of cards."""
NOT_SPLIT: Final = -1
"""The pair of a hand that does not come from a split."""


def kind_of(card: Card) -> int:
    """The index of the kind of ``card``.

    >>> kind_of(Card.parse("As")), kind_of(Card.parse("Kd"))
    (0, 9)
    """
    return card.hard_points - 1


@dataclass(frozen=True, slots=True)
class Hands:
    """Hands in rows: those that can come from the first cards, and those of splits.

    A split hand stands in its own row: it starts with one card of the pair, and the other one is
    gone as well. Rows are ordered by hard total, the highest last, so that the hands that a card
    makes come later than the hand that gets it.
    """

    pair: Ints
    """``(rows,)``: the kind of the pair that was split; :data:`NOT_SPLIT`."""
    counts: Ints
    """``(rows, 10)``: the cards of the hand by kind."""
    removed: Ints
    """``(rows, 10)``: the cards that are known to be gone: the hand's, and the other of a pair."""
    size: Ints
    """``(rows,)``: the number of cards of the hand."""
    hard: Ints
    """``(rows,)``: the total with every ace as 1."""
    total: Ints
    """``(rows,)``: the best total."""
    child: Ints
    """``(rows, 10)``: the row after one card of each kind; -1: bust."""
    removal: Ints
    """``(rows,)``: the row of :attr:`removals` with the cards of :attr:`removed`."""
    removals: Ints
    """``(removals, 10)``: the different rows of :attr:`removed`."""

    @property
    def is_soft(self) -> Bools:
        """Whether an ace counts 11."""
        return self.total != self.hard

    def layers(self) -> list[slice]:
        """The rows of each hard total, the highest first."""
        bounds = np.flatnonzero(np.diff(self.hard)) + 1
        edges = [0, *bounds.tolist(), len(self.hard)]
        return [slice(*edge) for edge in zip(edges[-2::-1], edges[:0:-1], strict=True)]

    def select(self, rows: Bools) -> Hands:
        """The hands of ``rows``; all that one of them can become by a card that is there must be
        among them.
        """
        renumbered = np.where(rows, np.cumsum(rows) - 1, -1)
        child = self.child[rows]
        used, removal = np.unique(self.removal[rows], return_inverse=True)
        return Hands(
            pair=self.pair[rows],
            counts=self.counts[rows],
            removed=self.removed[rows],
            size=self.size[rows],
            hard=self.hard[rows],
            total=self.total[rows],
            child=np.where(child < 0, -1, renumbered[child]),
            removal=removal,
            removals=self.removals[used],
        )

    def select_from(self, hand: Ints) -> Hands:
        """``hand`` (its cards by kind) and what it can become without a split."""
        return self.select((self.pair == NOT_SPLIT) & (self.counts >= hand).all(axis=1))

    def find(self, hand: Ints, pair: int = NOT_SPLIT) -> int:
        """The row of ``hand``, its cards by kind."""
        alike = np.flatnonzero((self.pair == pair) & (self.hard == hand @ POINTS))
        return int(alike[(self.counts[alike] == hand).all(axis=1)][0])

    def find_root(self, pair: int) -> int:
        """The row of one card of ``pair``, from which its split hands come."""
        return int(np.flatnonzero((self.pair == pair) & (self.size == 1))[0])


@cache
def all_hands() -> Hands:
    """All hands of one card and more."""
    own = _list_counts()
    pairs = np.concatenate(
        [np.full(len(own), NOT_SPLIT)]
        + [np.full(np.count_nonzero(own[:, kind]), kind) for kind in range(KINDS)]
    )
    counts = np.concatenate([own] + [own[own[:, kind] > 0] for kind in range(KINDS)])
    hard = counts @ POINTS
    order = np.argsort(hard, kind="stable")
    pairs, counts, hard = pairs[order], counts[order], hard[order]
    other = np.eye(KINDS + 1, KINDS, dtype=np.int64)[pairs]  # -1 is the last row, of zeros
    removed = counts + other
    _, first, removal = np.unique(removed @ DIGITS, return_index=True, return_inverse=True)
    is_soft = (counts[:, ACE] > 0) & (hard <= 11)
    return Hands(
        pair=pairs,
        counts=counts,
        removed=removed,
        size=counts.sum(axis=1),
        hard=hard,
        total=hard + 10 * is_soft,
        child=_find_children(pairs, counts, hard),
        removal=removal.reshape(-1),
        removals=removed[first],
    )


def _list_counts() -> Ints:
    """``(rows, 10)``: the cards by kind of each hand of one card and more that is not bust."""
    own = np.zeros((1, KINDS), dtype=np.int64)
    for kind in reversed(range(KINDS)):
        most = (21 - own @ POINTS) // POINTS[kind]
        row = np.repeat(np.arange(len(own)), most + 1)
        own = own[row]
        own[:, kind] = np.arange(len(row)) - np.searchsorted(row, row)
    return own[1:]


def _find_children(pairs: Ints, counts: Ints, hard: Ints) -> Ints:
    keys = counts @ DIGITS + (pairs + 1) * BASE**KINDS
    order = np.argsort(keys)
    child_keys = keys[:, None] + DIGITS
    children = order[np.minimum(np.searchsorted(keys[order], child_keys), len(keys) - 1)]
    return np.where(hard[:, None] + POINTS <= 21, children, -1)
