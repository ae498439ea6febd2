"""Cache validity on SQLite: whether the database has changed since this connection read it.

``PRAGMA data_version`` changes when another connection commits; ``total_changes`` counts the rows
that this one has written. While only rows were written whose new values are in the caches, cached
values are valid: such a period is a *generation*. On other databases each read begins a new one.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Generic, TypeVar

from accounts.lib.sql.driver import get_connection

K = TypeVar("K")
V = TypeVar("V")

_DatabaseVersion = tuple[Any, int, int]
"""The driver's connection, ``data_version``, and the number of rows that it wrote."""

_numbers: Final = itertools.count(1)


class _KnownVersion(threading.local):
    """The last known versions of this thread's connection."""

    def __init__(self) -> None:
        self.generation = 0
        self.committed: _DatabaseVersion | None = None
        """The version at the last commit of this generation."""
        self.seen: _DatabaseVersion | None = None
        """The version at the last check, plus the rows written within :func:`keep_cache_valid`."""
        self.is_in_step = False
        """Whether a :func:`keep_cache_valid` block is active."""
        self.hooks: object = None
        """Django's list of commit hooks, which identifies the transaction. In this one
        ``data_version`` was read; it holds the write lock, so no other connection commits.
        """
        self.version = 0


_known: Final = _KnownVersion()


def cache_generation() -> int:
    """The number of the current generation. Values that were read in it are valid.

    Outside a transaction other connections can write at any time, so each call begins a new one.
    """
    if _known.is_in_step:
        return _known.generation
    said = _read_version()
    if said is None:
        return next(_numbers)
    if said != _known.committed:
        _known.generation, _known.committed = next(_numbers), None
    _known.seen = said
    return _known.generation


@contextmanager
def keep_cache_valid() -> Iterator[None]:
    """Write rows whose new values are also stored in the caches, without ending the generation.

    Call it after :func:`cache_generation`, in the same transaction.
    """
    if _known.is_in_step or _known.seen is None:
        yield
        return
    if _read_version_in_transaction() != _known.seen:  # other rows were written
        _known.generation, _known.seen = next(_numbers), None
        yield
        return
    _known.is_in_step = True
    try:
        yield
    finally:
        _known.is_in_step = False
    _known.seen = _read_version_in_transaction()
    get_connection().on_commit(partial(setattr, _known, "committed", _known.seen))


def _read_version() -> _DatabaseVersion | None:
    asked = get_connection()
    if asked.vendor != "sqlite" or not asked.in_atomic_block:
        return None
    driver: Any = asked.connection
    if _known.hooks is not asked.run_on_commit:
        _known.hooks = asked.run_on_commit
        ((_known.version,),) = driver.execute("PRAGMA data_version")
    return driver, _known.version, driver.total_changes


def _read_version_in_transaction() -> _DatabaseVersion | None:
    """The version in a transaction that holds the lock: only the row count can have changed."""
    if _known.seen is None or get_connection().connection is not _known.seen[0]:
        return None
    driver, version, _ = _known.seen
    return driver, version, driver.total_changes


class GenerationCache(Generic[K, V]):
    """Values that were read in the current generation, by key."""

    def __init__(self) -> None:
        self._heard: tuple[int, dict[K, V]] = (0, {})

    def current(self) -> dict[K, V]:
        """The values; callers add what they read."""
        number = cache_generation()
        if self._heard[0] != number:
            self._heard = number, {}
        return self._heard[1]
