"""SQLite's statistics of its tables, by which it chooses an index for a query.

Without them newer versions take the index of all of a player's rounds for what the index of one
outcome finds at once. PostgreSQL keeps its own.
"""

from __future__ import annotations

from typing import Final

from django.db import connection

ROWS_A_LOOK: Final = 400
"""So many rows of an index are looked at, however long it is."""


def refresh() -> None:
    """Count anew the tables that have grown or shrunk much since they were counted.

    SQLite 3.46 and newer do that on any connection; older ones only for tables that this
    connection has asked about. Raises ``OperationalError`` when the database is locked.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA analysis_limit = {ROWS_A_LOOK}")
        cursor.execute("PRAGMA optimize = 0x10002")
