"""The mark in a database that may not be served: a move into it is unfinished, or it was moved away.

It is a table of its own, which is there before the first migration and which Django does not know.
"""

from __future__ import annotations

from typing import Any, Final

from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from tables.lib import manage_command

TABLE: Final = "blackjack_move"
UNFINISHED: Final = "unfinished"
_IS_UNFINISHED: Final = (
    "A move into this database is unfinished: run move_database again, with the variables of the "
    "old database."
)
_IS_MOVED: Final = (
    "This site was moved to {target}: set DATABASE_URL to that database. To go on with this one "
    "instead, with a new epoch: {command}."
)


class UnservableDatabase(OperationalError):
    """The database is marked. The message names the remedy."""


def verify_servable(database: BaseDatabaseWrapper | Any = connection) -> None:
    """Check that the database has no mark. Raises :class:`UnservableDatabase`."""
    mark = read(database)
    if mark == UNFINISHED:
        raise UnservableDatabase(_IS_UNFINISHED)
    if mark:
        raise UnservableDatabase(
            _IS_MOVED.format(target=mark, command=manage_command.name("begin_epoch"))
        )


def read(database: BaseDatabaseWrapper | Any = connection) -> str:
    """The mark: :data:`UNFINISHED`, or where the site was moved to; empty without one."""
    with database.cursor() as cursor:
        if database.vendor == "sqlite":
            cursor.execute("SELECT 1 FROM sqlite_master WHERE name = %s", [TABLE])
        else:
            cursor.execute("SELECT 1 WHERE to_regclass(%s) IS NOT NULL", [TABLE])
        if cursor.fetchone() is None:
            return ""
        cursor.execute(f"SELECT note FROM {TABLE}")  # noqa: S608 - our own name
        row = cursor.fetchone()
    return str(row[0]) if row else UNFINISHED


def write(database: BaseDatabaseWrapper | Any, note: str) -> None:
    """Mark the database. Call it in a transaction."""
    remove(database)
    with database.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {TABLE} (note varchar(500) NOT NULL)")
        cursor.execute(f"INSERT INTO {TABLE} VALUES (%s)", [note])  # noqa: S608 - our own name


def remove(database: BaseDatabaseWrapper | Any = connection) -> None:
    """Remove the mark, if there is one."""
    with database.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}")
