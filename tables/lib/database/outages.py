"""Errors that mean that the database is out of reach, not that the program is wrong."""

from __future__ import annotations

from typing import Final

from django.db import InterfaceError, OperationalError

from tables.lib.database.move_marker import UnservableDatabase

OF_THE_FILE: Final = (
    "SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY",
)  # fmt: skip


def is_outage(error: BaseException | None) -> bool:
    """Whether PostgreSQL is out of reach or too slow, an SQLite file is locked or cannot be written, or the
    database was moved away.
    """
    if isinstance(error, UnservableDatabase):
        return True
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    cause = error.__cause__
    is_of_file = getattr(cause, "sqlite_errorname", "").startswith(OF_THE_FILE)
    return is_of_file or type(cause).__module__.startswith("psycopg")
