"""Database triggers that refuse to change or delete rows of a table."""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

_POSTGRESQL_FUNCTION = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$
"""

_POSTGRESQL = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
"""

_VERBS = {"sqlite": ("UPDATE", "DELETE"), "postgresql": ("UPDATE", "DELETE", "TRUNCATE")}


def make_append_only(editor: BaseDatabaseSchemaEditor, table: str) -> None:
    """Create the triggers: rows of ``table`` can only be inserted and read."""
    vendor = editor.connection.vendor
    if vendor == "postgresql":
        editor.execute(_POSTGRESQL_FUNCTION, params=None)
    for verb in _VERBS[vendor]:
        template = _SQLITE if vendor == "sqlite" else _POSTGRESQL
        editor.execute(template.format(table=table, verb=verb), params=None)


def make_changeable(editor: BaseDatabaseSchemaEditor, table: str) -> None:
    """Drop the triggers of :func:`make_append_only`."""
    vendor = editor.connection.vendor
    for verb in _VERBS[vendor]:
        on_table = "" if vendor == "sqlite" else f" ON {table}"
        editor.execute(f"DROP TRIGGER {table}_no_{verb}{on_table}")
