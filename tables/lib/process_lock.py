"""The lock of the only server process: on a file beside SQLite's, or an advisory one of PostgreSQL."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO, Final

from django.core.management.base import CommandError

KEY: Final = int.from_bytes(b"the room")
"""The key of the advisory lock, an arbitrary number."""
KEY_OF_PREPARE: Final = int.from_bytes(b"prepare")
"""The key of the advisory lock while a database is prepared."""
UNLOCK: Final = "SELECT pg_advisory_unlock(%s)"
TRY_LOCK: Final = "SELECT pg_try_advisory_lock(%s)"
TRY_LOCK_SHARED: Final = "SELECT pg_try_advisory_lock_shared(%s)"
"""For a process that others may run beside, and none that has to be the only one."""
KEY_HASHES: Final = int.from_bytes(b"keys")
"""The first number of the advisory locks of secret keys; the second one is a hash of the key."""
LOCK_KEY_HASH: Final = "SELECT pg_advisory_lock_shared(%s, %s)"
FIND_OTHER_KEY_HASH: Final = (
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = %s::bigint::oid AND objid <> "
    "%s::bigint::oid AND objsubid = 2 AND database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1"
)
"""A process with another secret key."""


def lock_file(path: Path) -> IO[str]:
    """Lock a file until it is closed, and write the id of this process into it.

    Raises ``BlockingIOError`` if another process has the lock, and ``OSError``.
    """
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
    except OSError:
        file.close()
        raise
    return file


def lock_database_file(database: Path) -> IO[str]:
    """Lock a SQLite database, so that no server and no other command that replaces it runs.

    Raises ``CommandError`` if one runs, and ``OSError``.
    """
    path = get_path(database)
    try:
        return lock_file(path)
    except BlockingIOError:
        raise CommandError(f"A server runs: process {path.read_text()}. Stop it first.") from None


def get_path(database: Path) -> Path:
    """The file that is locked for a SQLite database."""
    return Path(f"{Path(database).resolve()}.served")  # two paths may lead to one database
