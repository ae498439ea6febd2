"""Optimistic transactions: they use rows that this thread remembers, and fail if one has changed.

Without this module, each row is locked and read before a decision. That takes a round trip for each
kind of row, and most of them have not changed since this thread wrote them. So it remembers them, decides,
and writes under the condition that they are still the same. If one is not, :class:`Conflict` rolls
the transaction back, everything remembered is forgotten, and the caller runs it again.

On SQLite a remembered row is valid as long as nothing else was written: ``PRAGMA data_version``
changes when another connection commits, and ``total_changes`` counts what this one has written
outside of optimistic transactions. After that a row is in doubt (:func:`is_in_doubt`) until it was
compared or read again. Elsewhere the rows that were used are read again in the :func:`pipeline` of the
writes, once it has taken their locks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Generic, TypeVar

from django.db import IntegrityError

from accounts.lib.sql import driver

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

MAX_ATTEMPTS: Final = 20
MOST_REMEMBERED: Final = 10_000
KEYS_SECONDS: Final = 1.0
"""Older keys are dropped when a transaction begins: pages list rounds in the order of their keys, also
those of several tables.
"""


class Conflict(Exception):
    """Another transaction has changed a row that this one relied on. Nothing was written."""


_Check = tuple[Callable[[], Callable[[], object]], object]
"""A function that sends a query and returns a function for its result, and the expected result."""


class _Thread(threading.local):
    """The state of this thread's transactions."""

    is_inside = is_again = False
    generation = 0
    """Values that were remembered in an earlier generation are not valid."""
    foreign_writes = 0
    """On SQLite: how often something was found to have been written by another connection, or by
    this one outside of such a transaction.
    """
    version: tuple[Any, int, int] | None = None
    """On SQLite the driver's connection, ``data_version`` and ``total_changes`` at the last commit."""

    size = 1
    """The number of changes in the transaction."""

    def __init__(self) -> None:
        self.checks: list[_Check] = []
        self.keys: dict[object, list[int]] = {}
        """Keys that are reserved and not yet used."""
        self.has_used_keys = False
        """Whether the transaction has."""
        self.keys_since = 0.0
        """A time of ``time.monotonic``: no key is older."""
        self.sequences: dict[object, Callable[[int], Callable[[], list[int]]]] = {}
        """Those of which it has ever reserved keys."""


_thread = _Thread()


@contextmanager
def transaction(size: int = 1) -> Iterator[None]:
    """A transaction that may use remembered rows. It is not nested in another one of this kind.

    ``size`` is the number of changes in it. Raises :class:`Conflict`, after which the caller runs
    it again.
    """
    _thread.size, _thread.has_used_keys = size, False
    if time.monotonic() - _thread.keys_since > KEYS_SECONDS:
        drop_keys()
    try:
        with driver.atomic():
            version = driver.read_sqlite_version()
            if version != _thread.version:
                _thread.foreign_writes += 1
            _thread.is_inside = True
            yield
            version = driver.read_sqlite_version(version)
    except IntegrityError as error:
        forget_all()
        if _thread.is_again:
            raise
        # Another process may have inserted the same unique key.
        raise Conflict(str(error)) from error
    except BaseException:
        if _thread.is_inside:  # or it has not begun, such as for a lock that was taken
            forget_all()
        raise
    finally:
        _thread.is_inside = False
        _thread.checks.clear()
    _thread.version = version


def run(work: Callable[[], T]) -> T:
    """Call ``work``, which has a transaction of this kind, again as long as others are faster.

    Raises :class:`Conflict` if that does not end.
    """
    try:
        for _ in range(MAX_ATTEMPTS - 1):
            try:
                return work()
            except Conflict:
                _thread.is_again = True
        return work()
    finally:
        _thread.is_again = False


def forget_all() -> None:
    """Forget everything that this thread remembers."""
    _thread.generation += 1
    _thread.version = None
    drop_keys()


def is_inside() -> bool:
    """Whether this thread is in an optimistic transaction."""
    return _thread.is_inside


def is_again() -> bool:
    """Whether this transaction is run again after a conflict: then it locks what it may."""
    return _thread.is_again


def generation() -> int:
    """The number of the current generation: it changes when everything is forgotten."""
    return _thread.generation


def reserve_key(sequence: object, send: Callable[[int], Callable[[], list[int]]]) -> int:
    """A key for a new row. Call :func:`drop_keys` before reading rows that the new one has to follow.

    ``send(number)`` sends the query for that number of keys, and returns a function for its result.
    One round trip reserves all keys that the transaction may need, of this sequence and of the others
    that this thread uses. A transaction of several changes that has used some reserves those of the
    next one with its writes.
    """
    if not _thread.is_inside:
        return send(1)()[0]
    _thread.has_used_keys = True
    if not _thread.keys.get(sequence):
        _thread.sequences[sequence] = send
        with driver.pipeline():
            get_keys = _send_for_keys(wanted=1)
        _keep_keys(get_keys)
    return _thread.keys[sequence].pop(0)


def drop_keys() -> None:
    """Drop reserved keys: another process may have used higher ones since, for rows that are read now."""
    _thread.keys.clear()


def _send_for_keys(*, wanted: int) -> dict[object, Callable[[], list[int]]]:
    """Send for keys of the sequences of which fewer than ``wanted`` are left, in a pipeline."""
    counts = {sequence: len(_thread.keys.get(sequence, ())) for sequence in _thread.sequences}
    return {
        sequence: send(_thread.size - counts[sequence])
        for sequence, send in _thread.sequences.items()
        if counts[sequence] < wanted
    }


def _keep_keys(get_keys: Mapping[object, Callable[[], list[int]]]) -> None:
    if not any(_thread.keys.values()):
        _thread.keys_since = time.monotonic()
    for sequence, get in get_keys.items():
        _thread.keys.setdefault(sequence, []).extend(get())


def has_checks() -> bool:
    """Whether remembered rows have to be checked with :func:`expect`: not on SQLite."""
    return driver.get_connection().vendor != "sqlite"


def foreign_writes() -> int:
    """A number that is remembered with a row, for :func:`is_in_doubt`."""
    return _thread.foreign_writes


def is_in_doubt(number: int) -> bool:
    """Whether something else was written on SQLite since :func:`foreign_writes` was ``number``."""
    return number != _thread.foreign_writes


def expect(send: Callable[[], Callable[[], object]], expected: object) -> None:
    """Have :func:`pipeline` check that a query still has this result.

    ``send`` sends the query, and returns a function for its result.
    """
    _thread.checks.append((send, expected))


@contextmanager
def pipeline(lock: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Send the statements of ``lock``, the checks of this transaction, and the statements of the
    block, in one round trip.

    What others change only with the locks that ``lock`` takes, such as by a write, does not change after
    the check. Other rows may change before the commit. Nothing is read in the block.

    Raises :class:`Conflict` if a check fails, or if a statement wrote another number of rows than
    expected.
    """
    checks = [*_thread.checks]
    _thread.checks.clear()
    try:
        with driver.pipeline():
            lock()
            results = [(send(), expected) for send, expected in checks]
            yield
            is_due = _thread.is_inside and _thread.has_used_keys and _thread.size > 1
            get_keys = _send_for_keys(wanted=_thread.size) if is_due else {}
    except driver.UnexpectedRows as error:
        raise Conflict(str(error)) from error
    if any(get_result() != expected for get_result, expected in results):
        raise Conflict("a row that was used has changed")
    _keep_keys(get_keys)


class RememberedRows(Generic[K, V]):
    """Rows by key, as this thread last read them. Outside optimistic transactions they are read."""

    def __init__(self, send: Callable[[list[K]], Callable[[], Mapping[K, V]]]) -> None:
        """``send`` sends the query for some keys, and returns a function for the rows found."""
        self._send = send
        self._local = threading.local()

    def load(self, keys: Iterable[K]) -> dict[K, V | None]:
        """The rows with these keys; ``None`` for missing ones."""
        unique_keys = dict.fromkeys(keys)
        rows = self._get_valid_rows() if _thread.is_inside else {}
        used = {key: rows[key] for key in unique_keys if key in rows}
        if used and has_checks():
            expect(partial(self._send_again, used), used)
        if missing := [key for key in unique_keys if key not in rows]:
            rows |= dict.fromkeys(missing) | dict(self._send(missing)())
        return {key: rows[key] for key in unique_keys}

    def _send_again(self, used: Collection[K]) -> Callable[[], dict[K, V | None]]:
        get_rows = self._send(list(used))

        def get_used() -> dict[K, V | None]:
            rows = get_rows()
            return {key: rows.get(key) for key in used}

        return get_used

    def add(self, rows: Mapping[K, V]) -> None:
        """Remember rows that this transaction has inserted."""
        if _thread.is_inside:
            self._get_valid_rows().update(rows)

    def _get_valid_rows(self) -> dict[K, V | None]:
        """The remembered rows that are not in doubt."""
        valid = _thread.generation, _thread.foreign_writes
        memory: tuple[tuple[int, int], dict[K, V | None]] = getattr(
            self._local, "kept", ((-1, -1), {})
        )
        if memory[0] != valid or len(memory[1]) > MOST_REMEMBERED:
            memory = self._local.kept = (valid, {})
        return memory[1]
