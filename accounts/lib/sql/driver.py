"""Frequent statements, run on the driver's own cursor.

The wrapper of a Django cursor takes as much time as such a statement itself. Unless statements are
recorded or counted, the driver's connection is used directly, with prepared statements.
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
"""A row of raw database values."""

TAKEN_AS_THEY_ARE: Final = frozenset({int, str, bool, type(None)})
"""Types that every driver accepts without conversion."""


class Statement:
    """SQL with ``%s`` for each parameter. Raises the same errors as Django's cursors."""

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._of_sqlite = sql.replace("%s", "?").replace("%%", "%")

    def read(self, params: Sequence[Any]) -> list[Raw]:
        """Run it; return the rows of its result."""
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
        """Run it for each of ``params``; return the number of written rows."""
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
    """This thread's connection, looked up once; ``django.db.connection`` does so at each access."""
    if _own.database is None:
        _own.database = connections[DEFAULT_DB_ALIAS]
    return _own.database


def plain(value: Any) -> Any:
    """Convert a value for the driver."""
    if type(value) in TAKEN_AS_THEY_ARE:
        return value
    if isinstance(value, UUID):
        return value if database().features.has_native_uuid_field else value.hex
    return _adapted(value)


@lru_cache(maxsize=1_000)
def _adapted(value: Any) -> Any:
    """Convert a value for the driver, cached: a change writes the same time repeatedly."""
    return database().ops.adapt_unknown_value(value)


def as_read(value: Any) -> Any:
    """The raw value that the database returns for a written number, text or time."""
    if isinstance(value, dt.datetime) and not database().features.supports_timezones:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value


def _is_watched(asked: BaseDatabaseWrapper) -> bool:
    """Whether statements are recorded, or the connection needs Django's handling."""
    return bool(
        asked.connection is None
        or asked.execute_wrappers
        or asked.needs_rollback
        or asked.force_debug_cursor
    )


def _psycopg_cursor(connection: Any) -> Any:
    """A psycopg cursor with server-side parameters. psycopg may not be installed."""
    from psycopg import Cursor

    return Cursor(connection)
