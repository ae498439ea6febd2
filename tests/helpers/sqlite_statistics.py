"""SQLite's statistics in a test: a small database that chooses indexes like one of a big house."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from django.db import connection

SQLITE_ALONE = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="plans as SQLite tells them"
)
COUNTS_BY_ITSELF = sqlite3.sqlite_version_info >= (3, 46)
"""Whether the house counts all its tables; with older versions it need not."""


@contextmanager
def counted(table: str, indexes: Mapping[str, str]) -> Iterator[None]:
    """Have the database believe these numbers: by index the rows of the table, then how many are
    alike in its first column, its first two, and so on.
    """
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("DELETE FROM sqlite_stat1 WHERE tbl = %s", [table])
        for index, numbers in indexes.items():
            cursor.execute("INSERT INTO sqlite_stat1 VALUES (%s, %s, %s)", [table, index, numbers])
        cursor.execute("ANALYZE sqlite_schema")  # which has the numbers read again
        try:
            yield
        finally:
            cursor.execute("DELETE FROM sqlite_stat1")
            cursor.execute("ANALYZE sqlite_schema")
