"""Statements of a command, and the conversion of values to and from the database."""

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
    """SQL with ``%s`` for each parameter, for a cursor of Django. Raises its errors."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    def read(self, params: Sequence[Any]) -> list[Raw]:
        """Run it; return the rows of its result."""
        with get_connection().cursor() as cursor:
            cursor.execute(self._sql, params)
            return list(cursor.fetchall())

    def write(self, params: Sequence[Sequence[Any]]) -> int:
        """Run it for each of ``params``; return the number of written rows."""
        if not params:
            return 0
        with get_connection().cursor() as cursor:
            cursor.executemany(self._sql, params)
            return int(cursor.rowcount)


class _ThreadConnection(threading.local):
    database: BaseDatabaseWrapper | None = None


_own: Final = _ThreadConnection()


def get_connection() -> BaseDatabaseWrapper:
    """This thread's connection, looked up once; ``django.db.connection`` does so at each access."""
    if _own.database is None:
        _own.database = connections[DEFAULT_DB_ALIAS]
    return _own.database


def to_driver_value(value: Any) -> Any:
    """Convert a value for the driver."""
    if type(value) in TAKEN_AS_THEY_ARE:
        return value
    if isinstance(value, UUID):
        return value if get_connection().features.has_native_uuid_field else value.hex
    return _adapt_value(value)


@lru_cache(maxsize=1_000)
def _adapt_value(value: Any) -> Any:
    """Convert a value for the driver, cached: a change writes the same time repeatedly."""
    return get_connection().ops.adapt_unknown_value(value)


def to_raw_value(value: Any) -> Any:
    """The raw value that the database returns for a written number, text or time."""
    if isinstance(value, dt.datetime) and not get_connection().features.supports_timezones:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value
