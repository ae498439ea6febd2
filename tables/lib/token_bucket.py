"""Token buckets: a burst, and a rate per second."""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import Final

MOST_BUCKETS: Final = 1000
"""The number of buckets before full ones are removed; twice the number in use if that is more."""


class TokenBucket:
    """Refills with ``per_second`` tokens up to ``at_once``.

    >>> allowance = TokenBucket(per_second=0, at_once=2)
    >>> [allowance.take() for _ in range(3)]
    [True, True, False]
    """

    __slots__ = ("_at_once", "_per_second", "_seen_at", "_tokens")

    def __init__(self, *, per_second: float, at_once: int) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._tokens = float(at_once)
        self._seen_at = time.monotonic()

    def take(self) -> bool:
        """Take a token; false if none is left."""
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    @property
    def is_full(self) -> bool:
        """Whether it is full, like a new one."""
        self._fill()
        return self._tokens >= self._at_once

    def _fill(self) -> None:
        now = time.monotonic()
        earned = (now - self._seen_at) * self._per_second
        self._tokens = min(float(self._at_once), self._tokens + earned)
        self._seen_at = now


class TokenBuckets:
    """A bucket for each player or address; several sockets share it."""

    def __init__(self, *, per_second: float, at_once: int) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._buckets: dict[Hashable, TokenBucket] = {}
        self._most_buckets = MOST_BUCKETS

    def get_bucket(self, whose: Hashable) -> TokenBucket:
        """The bucket of this player or address."""
        bucket = self._buckets.get(whose)
        if bucket is not None:
            return bucket
        if len(self._buckets) >= self._most_buckets:
            used = {other: one for other, one in self._buckets.items() if not one.is_full}
            self._buckets = used
            self._most_buckets = max(MOST_BUCKETS, 2 * len(used))  # no scan for each new bucket
        fresh = TokenBucket(per_second=self._per_second, at_once=self._at_once)
        return self._buckets.setdefault(whose, fresh)
