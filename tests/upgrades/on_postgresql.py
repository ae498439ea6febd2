"""Put an older house into PostgreSQL: ``python -m tests.upgrades.on_postgresql <file of SQLite>``.

Its migrations are run up to the state of the file, and its rows are copied.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command


def main(source: Path) -> None:
    """Migrate the database of ``DATABASE_URL`` up to the file's state, and fill it."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "blackjack_site.settings"
    django.setup()
    with closing(sqlite3.connect(":memory:")) as old:
        old.executescript(source.read_text())
        applied = dict(
            old.execute(
                "SELECT app, max(name) FROM django_migrations WHERE app IN ('accounts', 'tables')"
                " GROUP BY app"
            ).fetchall()
        )
        for app, name in applied.items():
            call_command("migrate", app, name, verbosity=0)
        call_command("migrate", "account", verbosity=0)
        call_command("migrate", "usersessions", verbosity=0)
        _copy(old)


def _copy(old: sqlite3.Connection) -> None:
    """Copy the rows of all tables, with the triggers and foreign keys switched off."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        names = [
            name for (name,) in old.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        for name in names:
            if not name.startswith(("accounts_", "tables_")):
                continue
            cursor.execute(f"DELETE FROM {name}")
            columns = [column for _, column, *_ in old.execute(f"PRAGMA table_info({name})")]
            types = _types_of(cursor, name)
            values = ", ".join(f"CAST(%s AS {types[column]})" for column in columns)
            cursor.executemany(
                f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({values})",
                [
                    [None if value is None else _as_text(value, types[column])
                     for column, value in zip(columns, row, strict=True)]
                    for row in old.execute(f"SELECT {', '.join(columns)} FROM {name}")
                ],
            )  # fmt: skip
            if "id" in columns:
                cursor.execute(
                    "SELECT setval(pg_get_serial_sequence(%s, 'id'),"
                    f" (SELECT COALESCE(MAX(id), 0) + 1 FROM {name}), false)"
                    " WHERE pg_get_serial_sequence(%s, 'id') IS NOT NULL", [name, name],
                )  # fmt: skip


def _types_of(cursor: Any, name: str) -> dict[str, str]:
    cursor.execute(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s",
        [name],
    )
    return dict(cursor.fetchall())


def _as_text(value: object, type_: str) -> str:
    if type_ == "timestamp with time zone":
        return f"{value}+00"
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
