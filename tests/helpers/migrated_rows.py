"""The rows that migrations leave in the database, and that are there again after each test that
commits.

Django empties all tables then, and makes its permissions anew, which takes longer than many a test.
Here only tables are written that have other rows than after the migrations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from accounts.lib.sql.append_only import make_append_only, make_changeable

_APPEND_ONLY = {"accounts_transfer", "accounts_act"}
_migrated: dict[str, list[tuple[Any, ...]]] = {}
"""The rows of each table."""


def remember() -> None:
    """Read all tables, after the migrations and before any test."""
    for table in connection.introspection.django_table_names(only_existing=True):
        _migrated[table] = _rows(table)


def restore() -> None:
    """Write the tables that have other rows."""
    filled = _filled(_migrated)
    changed = [
        table
        for table, rows in _migrated.items()
        if (table in filled or rows) and not (rows and _rows(table) == rows)
    ]
    with _unguarded(_APPEND_ONLY.intersection(changed)), connection.cursor() as cursor:
        for table in changed:
            cursor.execute(f"DELETE FROM {table}")
            if rows := _migrated[table]:
                values = ", ".join(["%s"] * len(rows[0]))
                cursor.executemany(f"INSERT INTO {table} VALUES ({values})", rows)


def _rows(table: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table} ORDER BY 1")
        return cursor.fetchall()


def _filled(tables: Iterable[str]) -> set[str]:
    """Those with rows."""
    asked = " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in tables
    )
    with connection.cursor() as cursor:
        cursor.execute(asked)
        return {table for (table,) in cursor.fetchall()}


@contextmanager
def _unguarded(append_only: Iterable[str]) -> Iterator[None]:
    """A transaction without foreign keys, and without the triggers that keep rows."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            yield
        return
    with connection.schema_editor() as editor:
        for table in append_only:
            make_changeable(editor, table)
        yield
        for table in append_only:
            make_append_only(editor, table)
