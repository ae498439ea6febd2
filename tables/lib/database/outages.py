"""Errors that mean that the database is out of reach, not that the program is wrong."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError

from tables.lib.database.move_marker import UnservableDatabase


def is_outage(error: BaseException | None) -> bool:
    """Whether PostgreSQL is out of reach or too slow, or the database was moved away.

    On SQLite the same exceptions may be an SQL error, so they do not count.
    """
    if isinstance(error, UnservableDatabase):
        return True
    is_of_driver = type(getattr(error, "__cause__", None)).__module__.startswith("psycopg")
    return isinstance(error, (OperationalError, InterfaceError)) and is_of_driver
