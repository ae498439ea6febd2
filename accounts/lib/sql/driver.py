"""Frequent statements, run on the driver's own cursor.

The wrapper of a Django cursor costs as much time as such a statement itself. While nothing is
recorded or counted, the driver's connection is used: SQLite's has the statement prepared from the
last time, and PostgreSQL is told to prepare it.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

Raw = tuple[Any, ...]
"""A row as the database says it."""

TAKEN_AS_THEY_ARE: Final = frozenset({int, str, bool, type(None)})
"""The types of what every database takes as it is."""


class Statement:
    """SQL with ``%s`` in the place of each parameter. Raises what Django's cursors raise."""

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._of_sqlite = sql.replace("%s", "?").replace("%%", "%")

    def read(self, params: Sequence[Any]) -> list[Raw]:
        """The rows that it finds, or that it says it has written."""
        asked = database()
        if _is_watched(asked):
            with asked.cursor() as cursor:
                cursor.execute(self._sql, params)
                return list(cursor.fetchall())
        with asked.wrap_database_errors:
            if asked.vendor == "sqlite":
                return list(asked.connection.execute(self._of_sqlite, params).fetchall())
            ready = _psycopg_cursor(asked.connection)
            return list(ready.execute(self._sql, params, prepare=True).fetchall())

    def write(self, params: Sequence[Sequence[Any]]) -> int:
        """Run it for each of ``params``; how many rows it wrote in all."""
        if not params:
            return 0
        asked = database()
        if _is_watched(asked):
            with asked.cursor() as cursor:
                cursor.executemany(self._sql, params)
                return int(cursor.rowcount)
        with asked.wrap_database_errors:
            if asked.vendor == "sqlite":
                return int(asked.connection.executemany(self._of_sqlite, params).rowcount)
            ready = _psycopg_cursor(asked.connection)
            if len(params) == 1:
                ready.execute(self._sql, params[0], prepare=True)
            else:
                ready.executemany(self._sql, params)
            return int(ready.rowcount)


class _Own(threading.local):
    database: BaseDatabaseWrapper | None = None


_own: Final = _Own()


def database() -> BaseDatabaseWrapper:
    """This thread's connection, looked for once; ``django.db.connection`` does with every word."""
    if _own.database is None:
        _own.database = connections[DEFAULT_DB_ALIAS]
    return _own.database


def plain(value: Any) -> Any:
    """A value as the database takes it."""
    if type(value) in TAKEN_AS_THEY_ARE:
        return value
    if isinstance(value, UUID):
        return value if database().features.has_native_uuid_field else value.hex
    return _adapted(value)


@lru_cache(maxsize=1_000)
def _adapted(value: Any) -> Any:
    """One change writes the same moment many times."""
    return database().ops.adapt_unknown_value(value)


def as_read(value: Any) -> Any:
    """What the database says of a value that it was given, of a number, a text or a moment."""
    if isinstance(value, dt.datetime) and not database().features.supports_timezones:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value


def _is_watched(asked: BaseDatabaseWrapper) -> bool:
    """Whether somebody counts what is asked, or the connection is not in good order."""
    return bool(
        asked.connection is None
        or asked.execute_wrappers
        or asked.needs_rollback
        or asked.force_debug_cursor
    )


def _psycopg_cursor(connection: Any) -> Any:
    """A cursor that sends parameters apart from the statement. The driver may not be installed."""
    from psycopg import Cursor

    return Cursor(connection)
