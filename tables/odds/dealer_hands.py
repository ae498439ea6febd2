"""All hands that the dealer can end with, by the up card."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tables.engine.round_state import DEALER_STANDS_ON
from tables.odds.hands import ACE, KINDS, TEN, Bools, Ints

Floats = npt.NDArray[Any]
BUST: Final = 0
"""The total of a dealer who is bust."""
NATURAL: Final = 22
"""The total of a dealer with a natural."""


@dataclass(frozen=True, slots=True)
class DealerHands:
    """What the dealer may draw to one up card, the hole card included, in rows."""

    drawn: Ints
    """``(rows, 10)``: the cards by kind, without the up card."""
    orders: Floats
    """``(rows,)``: in how many orders the rules let the dealer draw them."""
    total: Ints
    """``(rows,)``: the total; :data:`NATURAL` or :data:`BUST`."""
    is_final: Bools
    """``(rows,)``: whether the dealer draws no more, even if there are cards."""

    @property
    def size(self) -> Ints:
        """``(rows,)``: the number of drawn cards."""
        return self.drawn.sum(axis=1)

    def by_total(self) -> tuple[Ints, Floats]:
        """``(totals,)``: the different totals, and ``(rows, totals)``: 1 where a row has it."""
        totals, place = np.unique(self.total, return_inverse=True)
        return totals, np.eye(len(totals))[place.reshape(-1)]

    def select(self, rows: Bools) -> DealerHands:
        """The hands of ``rows``."""
        return DealerHands(
            self.drawn[rows], self.orders[rows], self.total[rows], self.is_final[rows]
        )


@cache
def list_dealer_hands(
    up: int, *, hits_soft_17: bool, without_hole: int | None = None, is_any_last: bool = False
) -> DealerHands:
    """The dealer's hands with the up card of kind ``up``.

    ``without_hole``: a kind that the hole card is known not to be. ``is_any_last``: also the hands
    of a dealer whom the end of the deck stops.
    """
    final: Counter[tuple[int, ...]] = Counter()
    open_: Counter[tuple[int, ...]] = Counter()
    level: Counter[tuple[int, ...]] = Counter({(0,) * KINDS: 1})
    is_hole = True
    while level:
        following: Counter[tuple[int, ...]] = Counter()
        for drawn, orders in level.items():
            for kind in range(KINDS):
                if is_hole and kind == without_hole:
                    continue
                grown = (*drawn[:kind], drawn[kind] + 1, *drawn[kind + 1 :])
                hard, total = _totals(up, grown)
                draws = total < DEALER_STANDS_ON or (
                    hits_soft_17 and total == DEALER_STANDS_ON and total != hard
                )
                (following if draws else final)[grown] += orders
        if is_any_last:
            open_.update(following)
        level, is_hole = following, False
    rows = [*final.items(), *open_.items()]
    return DealerHands(
        drawn=np.array([drawn for drawn, _ in rows]),
        orders=np.array([float(orders) for _, orders in rows]),
        total=np.array([_result(up, drawn) for drawn, _ in rows]),
        is_final=np.arange(len(rows)) < len(final),
    )


def hole_of_natural(up: int) -> int | None:
    """The kind of hole card that makes a natural with the up card ``up``."""
    return {ACE: TEN, TEN: ACE}.get(up)


def _totals(up: int, drawn: tuple[int, ...]) -> tuple[int, int]:
    hard = up + 1 + sum((kind + 1) * count for kind, count in enumerate(drawn))
    has_ace = up == ACE or drawn[ACE] > 0
    return hard, hard + 10 if has_ace and hard <= 11 else hard


def _result(up: int, drawn: tuple[int, ...]) -> int:
    total = _totals(up, drawn)[1]
    if total == 21 and sum(drawn) == 1:
        return NATURAL
    return BUST if total > 21 else total
