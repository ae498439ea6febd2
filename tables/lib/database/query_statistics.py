"""SQLite's statistics of its tables, which its query planner uses to choose an index.

Without them newer versions scan the index of all of a player's rounds instead of the index by
outcome. PostgreSQL updates its statistics automatically.
"""

from __future__ import annotations

from typing import Final

from django.db import connection

ROWS_A_LOOK: Final = 400
"""The number of rows read of each index."""


def analyze_tables() -> None:
    """Analyse the tables whose size has changed much since the last time.

    SQLite 3.46 and newer do this on any connection; older ones only for tables that this
    connection has queried. Raises ``OperationalError`` when the database is locked.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA analysis_limit = {ROWS_A_LOOK}")
        cursor.execute("PRAGMA optimize = 0x10002")
