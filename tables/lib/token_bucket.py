"""Token buckets: a burst, and a rate per second."""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import Final

MOST_KEPT: Final = 1000
"""So many players' allowances are kept before those that are full again are forgotten; where more
are in use, twice as many as that.
"""


class TokenBucket:
    """Fills up by ``per_second`` until ``at_once`` may be taken.

    >>> allowance = TokenBucket(per_second=0, at_once=2)
    >>> [allowance.take() for _ in range(3)]
    [True, True, False]
    """

    __slots__ = ("_at_once", "_left", "_per_second", "_seen_at")

    def __init__(self, *, per_second: float, at_once: int) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._left = float(at_once)
        self._seen_at = time.monotonic()

    def take(self) -> bool:
        """Take one; false where none is left."""
        self._fill()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    @property
    def is_full(self) -> bool:
        """Whether it is as a new one."""
        self._fill()
        return self._left >= self._at_once

    def _fill(self) -> None:
        now = time.monotonic()
        earned = (now - self._seen_at) * self._per_second
        self._left = min(float(self._at_once), self._left + earned)
        self._seen_at = now


class TokenBuckets:
    """One for each player or address, whatever socket: a new one brings no new allowance."""

    def __init__(self, *, per_second: float, at_once: int) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._kept: dict[Hashable, TokenBucket] = {}
        self._most_kept = MOST_KEPT

    def of(self, whose: Hashable) -> TokenBucket:
        """That of this player, or of this address."""
        kept = self._kept.get(whose)
        if kept is not None:
            return kept
        if len(self._kept) >= self._most_kept:
            used = {other: one for other, one in self._kept.items() if not one.is_full}
            self._kept = used
            self._most_kept = max(MOST_KEPT, 2 * len(used))  # not all of them with each new one
        fresh = TokenBucket(per_second=self._per_second, at_once=self._at_once)
        return self._kept.setdefault(whose, fresh)
