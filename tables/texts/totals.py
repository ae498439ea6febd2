"""The total of a hand in words."""

from __future__ import annotations

from typing import Self

from django.utils.translation import gettext

from tables.engine.hand import Hand


class Total(int):
    """The total of a hand, which knows whether an ace of it counts as eleven."""

    is_soft: bool

    def __new__(cls, number: int, *, is_soft: bool = False) -> Self:
        total = super().__new__(cls, number)
        total.is_soft = is_soft
        return total

    @classmethod
    def of(cls, hand: Hand) -> Self:
        """The total of a hand that may still get cards."""
        return cls(hand.total, is_soft=hand.is_soft)


def total_words(total: int) -> str:
    """ "soft 17" while an ace can still count as one, else the total: 21 is 21, and a single ace 11.

    >>> total_words(Total(17, is_soft=True)), total_words(Total(21, is_soft=True)), total_words(17)
    ('soft 17', '21', '17')
    """
    is_soft = isinstance(total, Total) and total.is_soft
    if is_soft and 11 < total < 21:
        return gettext("soft %(total)s") % {"total": int(total)}
    return str(int(total))
