"""The file of an SQLite database."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from django.db import connection, transaction

PROBE: Final = bytes(64 * 1024)


def verify_writable() -> None:
    """Raise ``DatabaseError`` if the database is a file that cannot be read and written: of another user,
    on a full disk, or damaged. A command would be the first to find that. On PostgreSQL it does nothing.
    """
    if connection.vendor != "sqlite":
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE TABLE blackjack_write_test (id integer)")
        transaction.set_rollback(True)


def verify_disk() -> None:
    """Raise ``OSError`` if nothing can be written beside the file of the database: the disk is full, or may
    only be read now. On PostgreSQL it does nothing.
    """
    if connection.vendor != "sqlite":
        return
    with tempfile.TemporaryFile(dir=Path(connection.settings_dict["NAME"]).parent) as probe:
        probe.write(PROBE)
