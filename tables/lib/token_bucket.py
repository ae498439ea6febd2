"""Token buckets: a burst, and a rate per second."""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import Final

MOST_KEPT: Final = 1000
"""The number of buckets before full ones are removed; twice the number in use if that is more."""


class TokenBucket:
    """Refills with ``per_second`` tokens up to ``at_once``.

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
        """Take a token; false if none is left."""
        self._fill()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    @property
    def is_full(self) -> bool:
        """Whether it is full, like a new one."""
        self._fill()
        return self._left >= self._at_once

    def _fill(self) -> None:
        now = time.monotonic()
        earned = (now - self._seen_at) * self._per_second
        self._left = min(float(self._at_once), self._left + earned)
        self._seen_at = now


class TokenBuckets:
    """A bucket for each player or address; several sockets share it."""

    def __init__(self, *, per_second: float, at_once: int) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._kept: dict[Hashable, TokenBucket] = {}
        self._most_kept = MOST_KEPT

    def get_bucket(self, whose: Hashable) -> TokenBucket:
        """The bucket of this player or address."""
        kept = self._kept.get(whose)
        if kept is not None:
            return kept
        if len(self._kept) >= self._most_kept:
            used = {other: one for other, one in self._kept.items() if not one.is_full}
            self._kept = used
            self._most_kept = max(MOST_KEPT, 2 * len(used))  # no scan for each new bucket
        fresh = TokenBucket(per_second=self._per_second, at_once=self._at_once)
        return self._kept.setdefault(whose, fresh)
