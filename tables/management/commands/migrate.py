"""``manage.py migrate``: Django's, which may be killed at any moment and begun again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from django.core.management.commands import migrate
from django.db import DatabaseError, connections
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from django.db.migrations.state import ProjectState

HURRIED: Final = ("statement_timeout", "idle_in_transaction_session_timeout")


class WholeMigrations(MigrationExecutor):
    """Does a migration and notes that it is done in one transaction.

    Django notes it in another one where something is left for the end, such as an index. Who is
    killed between the two can never migrate again: the tables are there, and are made again.
    """

    def apply_migration(
        self, state: ProjectState, migration: Migration, *args: Any, **options: Any
    ) -> ProjectState:
        apply = migration.apply

        def apply_whole(
            before: ProjectState, editor: BaseDatabaseSchemaEditor, *rest: Any
        ) -> ProjectState:
            after = apply(before, editor, *rest)
            while editor.deferred_sql:
                editor.execute(editor.deferred_sql.pop(0))
            return after

        migration.apply = apply_whole  # type: ignore[assignment, method-assign]
        return super().apply_migration(state, migration, *args, **options)


class Command(migrate.Command):
    """The executor is a name of Django's module, and no argument."""

    def handle(self, *args: Any, **options: Any) -> None:
        migrate.MigrationExecutor = WholeMigrations  # type: ignore[attr-defined]
        with _as_long_as_it_takes(options["database"]):
            super().handle(*args, **options)


@contextmanager
def _as_long_as_it_takes(database: str) -> Iterator[None]:
    """Players' statements have seconds; an index over the books of years may take an hour. Who
    waits for a lock still gives up soon: others wait behind it.
    """
    connection = connections[database]
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        for name in HURRIED:
            cursor.execute(f"SET {name} = 0")
    try:
        yield
    finally:
        with suppress(DatabaseError), connection.cursor() as cursor:
            for name in HURRIED:
                cursor.execute(f"RESET {name}")
