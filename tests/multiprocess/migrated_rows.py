"""The rows that migrations leave in a PostgreSQL, and that are there again after each test that
commits.

Django truncates all tables then, which takes longer than many a test. Here only tables are written
that have other rows than after the migrations.
"""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction

_migrated: dict[str, list[tuple[Any, ...]]] = {}
"""The rows of each table."""


def remember() -> None:
    """Read all tables, after the migrations and before any test."""
    for table in connection.introspection.django_table_names(only_existing=True):
        _migrated[table] = _rows(table)


def restore() -> None:
    """Write the tables that have other rows, without foreign keys and triggers that keep rows."""
    filled = _filled()
    changed = [
        table
        for table, rows in _migrated.items()
        if (table in filled or rows) and not (rows and _rows(table) == rows)
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in changed:
            cursor.execute(f"DELETE FROM {table}")
            if rows := _migrated[table]:
                values = ", ".join(["%s"] * len(rows[0]))
                cursor.executemany(f"INSERT INTO {table} VALUES ({values})", rows)


def _rows(table: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table} ORDER BY 1")
        return cursor.fetchall()


def _filled() -> set[str]:
    """The tables with rows."""
    queries = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in _migrated)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(queries))
        return {table for (table,) in cursor.fetchall()}
