"""Cache validity on SQLite: whether the database has changed since this connection read it.

SQLite tells at once whether another connection has committed, and how many rows this one has
written. As long as only rows were written that the caches already know about, what was read is
still valid: such a period is a *generation*. Other databases do not tell this, so that each look
at one of them begins a new generation.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Generic, TypeVar

from accounts.lib.sql.driver import database

K = TypeVar("K")
V = TypeVar("V")

_Said = tuple[Any, int, int]
"""The driver's connection, SQLite's ``data_version``, and how many rows that connection wrote."""

_numbers: Final = itertools.count(1)


class _Known(threading.local):
    """What the connection of this thread said."""

    def __init__(self) -> None:
        self.generation = 0
        self.committed: _Said | None = None
        """When all that is kept of this generation was in the database."""
        self.seen: _Said | None = None
        """At the last look, with the rows that were written since by who knows of what is kept."""
        self.is_in_step = False
        """Whether such rows are being written."""
        self.hooks: object = None
        """Django's list of what is to be done after the commit: each transaction has one of its
        own. In this one ``data_version`` was asked for; it holds the lock, nobody else commits.
        """
        self.version = 0


_known: Final = _Known()


def cache_generation() -> int:
    """The number of the present generation. Values that were read under it are valid.

    Outside a transaction another connection can write at any moment: each call begins a new one.
    """
    if _known.is_in_step:
        return _known.generation
    said = _said()
    if said is None:
        return next(_numbers)
    if said != _known.committed:
        _known.generation, _known.committed = next(_numbers), None
    _known.seen = said
    return _known.generation


@contextmanager
def keep_cache_valid() -> Iterator[None]:
    """Write rows whose new values the caches get as well: after the commit the generation is the
    same. Call it after :func:`cache_generation`, in the same transaction.
    """
    if _known.is_in_step or _known.seen is None:
        yield
        return
    if _wrote() != _known.seen:  # something else was written meanwhile
        _known.generation, _known.seen = next(_numbers), None
        yield
        return
    _known.is_in_step = True
    try:
        yield
    finally:
        _known.is_in_step = False
    _known.seen = _wrote()
    database().on_commit(partial(setattr, _known, "committed", _known.seen))


def _said() -> _Said | None:
    asked = database()
    if asked.vendor != "sqlite" or not asked.in_atomic_block:
        return None
    driver: Any = asked.connection
    if _known.hooks is not asked.run_on_commit:
        _known.hooks = asked.run_on_commit
        ((_known.version,),) = driver.execute("PRAGMA data_version")
    return driver, _known.version, driver.total_changes


def _wrote() -> _Said | None:
    """The same in a transaction in which it was said before: nobody else can have written."""
    if _known.seen is None or database().connection is not _known.seen[0]:
        return None
    driver, version, _ = _known.seen
    return driver, version, driver.total_changes


class GenerationCache(Generic[K, V]):
    """Values that were read in the present generation, by key."""

    def __init__(self) -> None:
        self._heard: tuple[int, dict[K, V]] = (0, {})

    def now(self) -> dict[K, V]:
        """The values; callers add what they read."""
        number = cache_generation()
        if self._heard[0] != number:
            self._heard = number, {}
        return self._heard[1]
