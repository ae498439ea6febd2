"""``manage.py migrate``: Django's command, which may be killed and run again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from django.core.management.commands import migrate
from django.db import DatabaseError, connections
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from django.db.migrations.state import ProjectState

from tables.management import new_database

HURRIED: Final = ("statement_timeout", "idle_in_transaction_session_timeout")


class AtomicMigrationExecutor(MigrationExecutor):
    """Executes and records each migration in one transaction; creates a new database at once.

    Django records it in a second transaction if SQL is deferred, such as an index. After a kill
    between the two, a repeated migration fails: its tables exist already.
    """

    def migrate(
        self,
        targets: Sequence[tuple[str, str | None]] | None,
        plan: Sequence[tuple[Migration, bool]] | None = None,
        *args: Any,
        **options: Any,
    ) -> ProjectState:
        if (
            plan is None
            or len(plan) < len(self.loader.graph.nodes)
            or options.get("fake")
            or not self._is_new_database()
        ):
            return super().migrate(targets, plan, *args, **options)
        return self._create_at_once([migration for migration, _ in plan])

    def _is_new_database(self) -> bool:
        """Whether there is no table of a model. That of the migrations may have come before a kill."""
        introspection = self.connection.introspection
        own = introspection.django_table_names()
        return (
            not {*own} & {*introspection.table_names()} and not self.recorder.applied_migrations()
        )

    def _create_at_once(self, migrations: list[Migration]) -> ProjectState:
        """Create the last schema instead of all that led to it, in one transaction."""
        self.recorder.ensure_schema()
        state = self.loader.project_state()
        with self.connection.schema_editor(atomic=True) as editor:
            new_database.create_schema(editor, state.apps)
            for migration in migrations:
                self.recorder.record_applied(migration.app_label, migration.name)
                if self.progress_callback:
                    self.progress_callback("apply_start", migration, False)
                    self.progress_callback("apply_success", migration, False)
        return state

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
    """Replaces the executor, a global name of Django's module."""

    def handle(self, *args: Any, **options: Any) -> None:
        migrate.MigrationExecutor = AtomicMigrationExecutor  # type: ignore[attr-defined]
        with _without_statement_timeout(options["database"]):
            super().handle(*args, **options)


@contextmanager
def _without_statement_timeout(database: str) -> Iterator[None]:
    """Remove the statement timeout: an index may take an hour. The lock timeout stays."""
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
