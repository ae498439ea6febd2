"""Statements of a command, and the conversion of values to and from the database."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, IntegrityError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    from accounts.lib.sql.postgresql_pipeline import Pipeline, SentStatement

Raw = tuple[Any, ...]
"""A row of raw database values."""
SqliteVersion = tuple[Any, int, int]
"""The driver's connection, ``data_version``, and the number of rows that it has written."""

NATIVE_TYPES: Final = frozenset({int, str, bool, type(None)})
"""Types that every driver accepts without conversion."""


class UnexpectedRows(Exception):
    """A statement has written another number of rows than expected."""


class Statement:
    """SQL with ``%s`` for each parameter. Raises Django's errors.

    It runs on the driver. Django's cursor puts parameters into the text for PostgreSQL, which
    then plans another statement each time; for SQLite it translates the text each time, which
    takes as long as most of these statements. While statements are logged, Django's cursor runs
    them all the same.
    """

    def __init__(self, sql: str) -> None:
        self._sql = sql
        first, *others = sql.replace("%%", "%").split("%s")
        self._sqlite_sql = "?".join([first, *others])
        numbered = "".join(f"${number}{text}" for number, text in enumerate(others, start=1))
        self._postgresql_sql = (first + numbered).encode()

    def read(self, params: Sequence[Any]) -> list[Raw]:
        """Run it; return the rows of its result."""
        return self.send(params)()

    def send(self, params: Sequence[Any]) -> Callable[[], list[Raw]]:
        """Send it; return a function for the rows of its result, to be called after the pipeline.

        Outside of a pipeline it is executed at once.
        """
        database = get_connection()
        with database.wrap_database_errors:
            if is_logged(database):
                cursor: Any = database.cursor()
                cursor.execute(self._sql, params)
            elif database.vendor == "sqlite":
                cursor = _open_sqlite_cursor(database)
                cursor.execute(self._sqlite_sql, params)
            else:
                (sent,) = self._send_to_postgresql([params])
                return sent.fetch_rows
            rows: list[Raw] = list(cursor.fetchall())
            cursor.close()
        return lambda: rows

    def write(self, params: Sequence[Sequence[Any]], *, expected: int | None = None) -> None:
        """Run it for each of ``params``.

        Raises :class:`UnexpectedRows` if it does not write ``expected`` rows: in a pipeline at the
        end of it.
        """
        if not params:
            return
        database = get_connection()
        with database.wrap_database_errors:
            if is_logged(database):
                cursor: Any = database.cursor()
                cursor.executemany(self._sql, params)
            elif database.vendor == "sqlite":
                cursor = _open_sqlite_cursor(database)
                cursor.executemany(self._sqlite_sql, params)
            else:
                self._send_to_postgresql(params, expected=expected)
                return
        if expected is not None:
            _verify_rows(cursor.rowcount, expected, self._sql)

    def _send_to_postgresql(
        self, params: Sequence[Sequence[Any]], *, expected: int | None = None
    ) -> list[SentStatement]:
        """Send it for each of ``params`` in the open pipeline, or in one of their own."""
        with pipeline():
            opened = _own.pipeline
            assert opened is not None
            sent = [opened.send(self._postgresql_sql, one) for one in params]
            if expected is not None:
                _own.expected.append((sent, expected, self._sql))
        return sent


def is_logged(database: BaseDatabaseWrapper) -> bool:
    """Whether Django passes the statements of this connection on, to a log or a wrapper."""
    return bool(database.queries_logged or database.execute_wrappers)


@contextmanager
def pipeline() -> Iterator[None]:
    """Send the statements of the block without waiting for each, where the database can do that.

    In the block nothing is read: neither by a function of :meth:`Statement.send` nor by the ORM. On
    PostgreSQL that is an error; tests fail with every database. A pipeline in another one is a part
    of it. Raises :class:`UnexpectedRows`, also in place of an
    ``IntegrityError`` of a later statement, which may follow from it. Other errors, such as a lock
    timeout, are not replaced.
    """
    database = get_connection()
    if database.vendor != "postgresql" or is_logged(database) or _own.pipeline is not None:
        yield
        return
    from accounts.lib.sql.postgresql_pipeline import Pipeline  # psycopg may not be installed

    database.ensure_connection()
    database.validate_no_broken_transaction()
    expected = _own.expected = []
    try:
        with database.wrap_database_errors, Pipeline(database.connection) as _own.pipeline:
            yield
    except IntegrityError:
        for sent, number, sql in expected:
            if all(one.is_executed for one in sent):
                _verify_rows(_count_rows(sent), number, sql)
        raise
    finally:
        _own.pipeline, _own.expected = None, []
    for sent, number, sql in expected:
        _verify_rows(_count_rows(sent), number, sql)


def flush_pipeline() -> None:
    """Have the database begin with the statements of the open pipeline, before work that needs none
    of their results.
    """
    if _own.pipeline is not None:
        _own.pipeline.flush()


def _count_rows(sent: Iterable[SentStatement]) -> int:
    return sum(one.row_count for one in sent)


def _verify_rows(count: int, number: int, sql: str) -> None:
    if count != number:
        raise UnexpectedRows(f"{count} rows, not {number}: {sql}")


def _open_sqlite_cursor(database: BaseDatabaseWrapper) -> Any:
    """A cursor of the driver. Raises ``TransactionManagementError`` in a broken transaction."""
    if database.connection is None:
        database.ensure_connection()
    database.validate_no_broken_transaction()
    return database.connection.cursor()


def read_sqlite_version(before: SqliteVersion | None = None) -> SqliteVersion | None:
    """On SQLite, within a transaction, what changes when anything is written; elsewhere ``None``.

    ``before`` is an earlier result of the same transaction, in which no other connection commits.
    """
    database = get_connection()
    if database.vendor != "sqlite":
        return None
    driver: Any = database.connection
    if before is None:
        ((number,),) = driver.execute("PRAGMA data_version")
    else:
        number = before[1]
    return driver, number, driver.total_changes


@contextmanager
def atomic() -> Iterator[None]:
    """A transaction on this thread's connection, also in the thread of an event loop.

    Raises ``OperationalError`` if SQLite's lock is taken.
    """
    if not _own.is_for_loop:
        with transaction.atomic():
            yield
        return
    database = get_connection()
    raw: Any = database.connection
    with database.wrap_database_errors:
        raw.execute("BEGIN IMMEDIATE")
        try:
            yield
            raw.execute("COMMIT")
        except BaseException:
            raw.rollback()
            raise


def open_for_loop() -> BaseDatabaseWrapper:
    """Open a connection to SQLite for :func:`use_in_loop`. Call it in another thread: Django opens
    none on a running loop.

    It does not wait for the lock, since the loop has other work.
    """
    opened = connections.create_connection(DEFAULT_DB_ALIAS)
    opened.connect()
    opened.connection.execute("PRAGMA busy_timeout = 0")
    return opened


@contextmanager
def use_in_loop(opened: BaseDatabaseWrapper) -> Iterator[None]:
    """Run the statements of this module on this connection, in the thread of an event loop.

    The ORM does not use it, and raises ``SynchronousOnlyOperation``.
    """
    before = _own.database
    _own.database, _own.is_for_loop = opened, True
    try:
        yield
    finally:
        _own.database, _own.is_for_loop = before, False


class _ThreadConnection(threading.local):
    is_for_loop = False
    database: BaseDatabaseWrapper | None = None
    pipeline: Pipeline | None = None
    expected: list[tuple[list[SentStatement], int, str]]
    """In a pipeline: statements, and the number of rows that they have to write, with their SQL."""


_own: Final = _ThreadConnection()


def get_connection() -> BaseDatabaseWrapper:
    """This thread's connection, looked up once; ``django.db.connection`` does so at each access."""
    if _own.database is None:
        _own.database = connections[DEFAULT_DB_ALIAS]
    return _own.database


def has_row_locks() -> bool:
    """Whether the database locks rows. SQLite locks the whole file instead."""
    return get_connection().features.has_select_for_update


def to_driver_value(value: Any) -> Any:
    """Convert a value for the driver."""
    if type(value) in NATIVE_TYPES:
        return value
    if isinstance(value, UUID):
        return value if get_connection().features.has_native_uuid_field else value.hex
    return _adapt_value(value)


@lru_cache(maxsize=1_000)
def _adapt_value(value: Any) -> Any:
    """Convert a value for the driver, cached: a change writes the same time repeatedly."""
    return get_connection().ops.adapt_unknown_value(value)
