"""The fewest payments after which everybody is even."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

Who = TypeVar("Who", bound=Hashable)

MOST_EXACT: Final = 12
"""With more parties than this the number of payments may not be the least: the exact way takes
2^n steps."""


@dataclass(frozen=True, slots=True)
class Payment(Generic[Who]):
    """``payer`` gives ``amount`` to ``payee``."""

    payer: Who
    payee: Who
    amount: int


def find_payments(nets: Mapping[Who, int]) -> list[Payment[Who]]:
    """The fewest payments that square these results, which are 0 together.

    A group that is 0 together needs one payment less than it has members. So the parties are divided
    into as many such groups as possible; within a group, the largest loss pays the largest win.

    >>> find_payments({"ann": 300, "ben": -100, "cleo": -200})
    [Payment(payer='cleo', payee='ann', amount=200), Payment(payer='ben', payee='ann', amount=100)]
    """
    if sum(nets.values()):
        raise ValueError("the results are not 0 together")
    parties = [who for who, net in nets.items() if net]
    groups = _divide([nets[who] for who in parties])
    return [
        payment
        for group in groups
        for payment in _square({parties[index]: nets[parties[index]] for index in group})
    ]


def _divide(nets: list[int]) -> list[list[int]]:
    """The largest number of groups that are 0 together, as indices; one group if it takes too long."""
    count = len(nets)
    if count > MOST_EXACT:
        return [list(range(count))]
    # For each set of parties, as bits: its sum, the most groups in it, and the party added last.
    sums, most, last = [0] * (1 << count), [0] * (1 << count), [0] * (1 << count)
    for parties in range(1, 1 << count):
        low = (parties & -parties).bit_length() - 1
        sums[parties] = sums[parties & (parties - 1)] + nets[low]
        best = -1
        for index in range(count):
            without = parties & ~(1 << index)
            if without != parties and most[without] > best:
                best, last[parties] = most[without], index
        most[parties] = best + (sums[parties] == 0)
    groups: list[list[int]] = []
    parties = (1 << count) - 1
    while parties:
        if sums[parties] == 0:
            groups.append([])
        groups[-1].append(last[parties])
        parties &= ~(1 << last[parties])
    return groups


def _square(nets: dict[Who, int]) -> list[Payment[Who]]:
    """Payments within a group that is 0 together: at most one less than it has members."""
    remaining, payments = dict(nets), []
    while any(remaining.values()):
        payer = min(remaining, key=lambda who: remaining[who])
        payee = max(remaining, key=lambda who: remaining[who])
        amount = min(-remaining[payer], remaining[payee])
        payments.append(Payment(payer, payee, amount))
        remaining[payer] += amount
        remaining[payee] -= amount
    return payments
