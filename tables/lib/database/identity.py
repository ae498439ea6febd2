"""Identifies the database, so that a copy or a restored backup is recognised as another one.

SQLite: the inode numbers of its file and of a small file beside it, and the change time of the
latter, which no copy preserves. PostgreSQL: its system identifier and timeline, and the id of the
transaction that wrote the row with the identity, which no dump preserves.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import NotSupportedError, ProgrammingError, connection

ROW: Final = 1
"""The key of the row of :class:`tables.models.DatabaseIdentity`."""

_CLUSTER: Final = (
    "SELECT (SELECT system_identifier FROM pg_control_system())::text"
    " || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)"
)
_WRITTEN_BY: Final = "SELECT xmin::text FROM tables_databaseidentity WHERE id = %s"


def path_beside_database(ending: str) -> Path:
    """The path of a file beside the database, or in the data folder for PostgreSQL."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return Path(f"{name}.{ending}")
    return Path(settings.DATA_DIR) / f"{name or 'postgresql'}.{ending}"


def read_server_identity() -> str:
    """The identifier of the database server or file. Do not call it in a transaction."""
    if connection.vendor == "sqlite":
        return _read_file_identity()
    try:
        with connection.cursor() as cursor:
            cursor.execute(_CLUSTER)
            return str(cursor.fetchone()[0])
    except (ProgrammingError, NotSupportedError):
        return ""  # a provider may forbid it; the transaction id still detects dumps


def build_identity(server: str) -> str:
    """The whole identity; ``server`` is the result of :func:`read_server_identity`."""
    if connection.vendor == "sqlite":
        return server
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN_BY, [ROW])
        row = cursor.fetchone()
    return f"{server}/{row[0]}" if row else server


def renew_identity(server: str) -> str:
    """Create and return the new identity. Call it in the transaction that has written the row."""
    if connection.vendor != "sqlite":
        return build_identity(server)
    path = path_beside_database("identity")
    new = path.with_name(path.name + ".part")
    new.unlink(missing_ok=True)
    os.close(os.open(new, os.O_WRONLY | os.O_CREAT, 0o600))
    new.rename(path)
    return _read_file_identity()


def _read_file_identity() -> str:
    try:
        database = Path(str(connection.settings_dict["NAME"])).stat()
        mark = path_beside_database("identity").stat()
    except FileNotFoundError:
        return ""
    return f"{database.st_ino}/{mark.st_ino}/{mark.st_ctime_ns}"
