"""Backup and restore on SQLite, while the site runs."""

from __future__ import annotations

import datetime as dt
import os
import sqlite3
from contextlib import closing, suppress
from itertools import chain, count
from pathlib import Path
from typing import Final

from tables.backups.archive import DamagedBackup

BESIDE: Final = ("-wal", "-shm")
"""The suffixes of the files that SQLite uses beside the database."""


def copy(database: Path, target: Path) -> None:
    """Copy the database of one moment to ``target``. Players do not wait for it.

    Raises ``sqlite3.Error``, and :class:`DamagedBackup` if the database is damaged.
    """
    address = f"{database.absolute().as_uri()}?mode=rw"  # quoted: a path may have # and ?
    with (
        closing(sqlite3.connect(address, uri=True, timeout=20)) as there,
        closing(sqlite3.connect(target)) as here,
    ):
        there.backup(here)
        here.execute("PRAGMA journal_mode = DELETE")
        _verify_integrity(here, database)


def restore(data: Path, database: Path, aside: Path) -> None:
    """Replace the database by ``data``. An old database is kept as ``aside``; there is one at every
    moment, so that a kill leaves the old one or the new one.

    Raises :class:`DamagedBackup`, ``sqlite3.Error``, ``OSError``.
    """
    with closing(sqlite3.connect(data)) as here:
        _verify_integrity(here, data)
    if database.exists():
        _copy_owner(data, database.stat())
        _set_log_aside(database, aside)
        for other in database.parent.glob(f"{database.name}.before-*"):
            if other.samefile(database):
                other.unlink()  # a second name, from a restore that was killed here
        try:
            os.link(database, aside)
        except OSError:  # a file system without hard links
            database.rename(aside)
    else:
        data.chmod(0o600)
    data.replace(database)


def find_aside(database: Path, now: dt.datetime) -> Path:
    """A free name for a database that is replaced at this moment."""
    name = f"{database.name}.before-{now:%Y-%m-%dT%H%M%SZ}"
    endings = chain([""], (f"-{number}" for number in count(2)))
    paths = (database.with_name(name + ending) for ending in endings)
    return next(path for path in paths if not path.exists())


def set_aside(database: Path, aside: Path) -> None:
    """Rename a database and the files that SQLite uses beside it. Nobody may have it open."""
    _set_log_aside(database, aside)
    database.rename(aside)


def _set_log_aside(database: Path, aside: Path) -> None:
    """Write the log into the database, so that a kill before the next rename loses nothing. That of a
    damaged file is renamed.
    """
    with suppress(sqlite3.Error), closing(sqlite3.connect(database)) as here:
        here.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for beside in BESIDE:
        part = Path(f"{database}{beside}")
        if part.exists():
            part.rename(f"{aside}{beside}")


def delete(database: Path) -> None:
    """Delete a database and the files that SQLite uses beside it."""
    for ending in ("", *BESIDE):
        Path(f"{database}{ending}").unlink(missing_ok=True)


def verify_migrations(data: Path, expected: str) -> None:
    """Raise :class:`DamagedBackup` if the database has not the last migrations that its backup says."""
    with closing(sqlite3.connect(data)) as here, suppress(sqlite3.OperationalError):
        rows = here.execute("SELECT app || '.' || max(name) FROM django_migrations GROUP BY app")
        if set(expected.split()) <= {name for (name,) in rows}:
            return
    raise DamagedBackup("the database in it is not the one that its about.txt describes")


def _copy_owner(data: Path, before: os.stat_result) -> None:
    """Give the file the old owner: the servers may run as another user."""
    data.chmod(0o600)
    with suppress(PermissionError):
        os.chown(data, before.st_uid, before.st_gid)


def _verify_integrity(here: sqlite3.Connection, what: Path) -> None:
    result = here.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if result != "ok":
        raise DamagedBackup(f"{what} is damaged: {result}")
