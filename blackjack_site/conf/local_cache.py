"""The cache of a single process without Redis: rate-limit counters in memory."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any, Final

from django.core.cache.backends.locmem import LocMemCache

ROOM: Final = 100_000
"""The limit of counters, about 45 MB. Django's cache has a limit of 300."""
REMAINING_SHARE: Final = 2 / 3
"""The share of :data:`ROOM` that remains when it is full."""
KIND: Final = 7
"""The number of parts of a key, between colons, that name the kind of the counter."""


class LocalCache(LocMemCache):
    """A cache in which no kind of counter evicts another. When it is full, expired counters are
    removed first, then the least recently used of the most frequent kind. So a flood of other
    requests does not remove counters of wrong passwords.
    """

    _cache: OrderedDict[str, bytes]
    _expire_info: dict[str, float | None]
    _delete: Callable[[str], bool]

    def __init__(self, name: str, params: dict[str, Any]) -> None:
        options = {**params.get("OPTIONS", {}), "MAX_ENTRIES": ROOM}
        super().__init__(name, {**params, "OPTIONS": options})

    def _cull(self) -> None:
        """Remove entries. Called by Django with the lock held when the cache is full."""
        now = time.time()
        ends = self._expire_info
        for key in [key for key, end in ends.items() if end is not None and end <= now]:
            self._delete(key)
        while len(self._cache) > REMAINING_SHARE * self._max_entries:
            most, _ = Counter(map(_counter_kind, self._cache)).most_common(1)[0]
            oldest = [key for key in reversed(self._cache) if _counter_kind(key) == most]
            for key in oldest[: len(oldest) // 3 + 1]:
                self._delete(key)


def _counter_kind(key: str) -> str:
    return key[: -len(key.split(":", KIND)[-1])]
