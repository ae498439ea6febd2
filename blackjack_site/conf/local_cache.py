"""The cache of a single process without Redis: rate-limit counters in memory."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any, Final

from django.core.cache.backends.locmem import LocMemCache

ROOM: Final = 100_000
"""Counts that are kept at once, some 45 MB at most. Django's own cache keeps 300."""
LEFT: Final = 2 / 3
"""Of the room, so much at most is taken after some were forgotten."""
KIND: Final = 7
"""So many parts of a key, between colons, say what is counted; what follows says of whom."""


class LocalCache(LocMemCache):
    """A cache in which no kind of count pushes out another. Where there is no more room, those go
    first whose time is over, and then, of the kind of which there are most, those that were asked
    for longest ago: wrong passwords are not forgotten for a flood of anything else.
    """

    _cache: OrderedDict[str, bytes]
    _expire_info: dict[str, float | None]
    _delete: Callable[[str], bool]

    def __init__(self, name: str, params: dict[str, Any]) -> None:
        options = {**params.get("OPTIONS", {}), "MAX_ENTRIES": ROOM}
        super().__init__(name, {**params, "OPTIONS": options})

    def _cull(self) -> None:
        """Make room. Called by Django with the lock held, when there is none left."""
        now = time.time()
        ends = self._expire_info
        for key in [key for key, end in ends.items() if end is not None and end <= now]:
            self._delete(key)
        while len(self._cache) > LEFT * self._max_entries:
            most, _ = Counter(map(_kind_of, self._cache)).most_common(1)[0]
            oldest = [key for key in reversed(self._cache) if _kind_of(key) == most]
            for key in oldest[: len(oldest) // 3 + 1]:
                self._delete(key)


def _kind_of(key: str) -> str:
    return key[: -len(key.split(":", KIND)[-1])]
