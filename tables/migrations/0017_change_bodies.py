"""A change stores its command and events in one compressed body. It and tables have fewer indexes.

The rows are copied into a new database table, slice by slice: changed in place, they would keep the
room of the old texts. All of it is one transaction.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import migrations, models

from tables.models import command_ids
from tables.protocol import change_body

SLICE = 5000
COLUMNS = "id, table_id, seq, round_id, at, user_id, command_id"
READ = f"SELECT {COLUMNS}, command, events FROM tables_change WHERE id > %s ORDER BY id LIMIT {SLICE}"
WRITE = f"INSERT INTO tables_change_new ({COLUMNS}, body) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"


class RewriteChanges(migrations.SeparateDatabaseAndState):
    """Copies the changes into a new database table, which replaces the old one."""

    reversible = False

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, "Change")
        table, constraints = model._meta.db_table, model._meta.constraints
        model._meta.db_table = f"{table}_new"
        if schema_editor.connection.vendor == "postgresql":
            model._meta.constraints = []  # the old table still has their names
        schema_editor.create_model(model)
        _copy(schema_editor)
        schema_editor.execute(f"DROP TABLE {table}", params=None)
        schema_editor.alter_db_table(model, f"{table}_new", table)
        model._meta.db_table = table
        if schema_editor.connection.vendor == "postgresql":
            _name_key(schema_editor, table)
            for constraint in constraints:
                schema_editor.add_constraint(model, constraint)
        command_ids.refuse_ids_of_chat(schema_editor)


def _copy(editor: Any) -> None:
    """Copy all changes to the new table, with bodies."""
    last = 0
    with editor.connection.cursor() as cursor:
        while True:
            cursor.execute(READ, [last])
            rows = cursor.fetchall()
            if not rows:
                return
            cursor.executemany(WRITE, map(_with_body, rows))
            last = rows[-1][0]


def _with_body(row: tuple[Any, ...]) -> tuple[Any, ...]:
    *columns, command, events = row
    command_id = columns[-1]
    if isinstance(command_id, str):  # SQLite
        command_id = UUID(command_id)
    return (*columns, change_body.encode(command, command_id, events))


def _name_key(editor: Any, table: str) -> None:
    """Name the index and the sequence of the key as Django does, and have the sequence go on."""
    for kind, part in (("INDEX", "pkey"), ("SEQUENCE", "id_seq")):
        editor.execute(f"ALTER {kind} {table}_new_{part} RENAME TO {table}_{part}", params=None)
    editor.execute(
        f"SELECT setval('{table}_id_seq', id) FROM {table} ORDER BY id DESC LIMIT 1", params=None
    )


def leave_room_in_pages(apps: Any, editor: Any) -> None:
    """Leave half of each page of the tables free, so that PostgreSQL writes the next version of a row
    into the page of the last, and no index (heap-only tuples)."""
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE tables_table SET (fillfactor = 50)", params=None)


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("tables", "0016_numbers_at_the_table"),
    ]

    operations = [
        RewriteChanges(
            state_operations=[
                migrations.RemoveField("change", "command"),
                migrations.RemoveField("change", "events"),
                migrations.AddField("change", "body", models.BinaryField(), preserve_default=False),
                migrations.AlterField(
                    "change",
                    "table",
                    models.ForeignKey(
                        "tables.table", models.PROTECT, related_name="changes", db_index=False
                    ),
                ),
                migrations.AlterField(
                    "change",
                    "user",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL,
                        models.PROTECT,
                        null=True,
                        related_name="+",
                        db_index=False,
                    ),
                ),
            ]
        ),
        migrations.RemoveIndex("table", "tables_with_a_clock"),
        migrations.RemoveIndex("table", "tables_that_may_be_unused"),
        migrations.AddIndex(
            "table",
            models.Index(
                fields=["is_private"],
                name="open_tables_of_players",
                condition=models.Q(closed_at__isnull=True, maker__isnull=False),
            ),
        ),
        migrations.RunPython(leave_room_in_pages, migrations.RunPython.noop),
    ]
