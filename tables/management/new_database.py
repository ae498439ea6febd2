"""The schema of a new database, created at once.

Migrations lead the databases of earlier versions to this one, through all schemas in between. A new
database has nothing to bring along: it gets the last schema, and what the migrations insert into an
empty database. ``tests/multiprocess/test_new_database.py`` compares it with a database that was
migrated, on SQLite and PostgreSQL.
"""

from __future__ import annotations

from typing import Final

from django.contrib.auth.management import create_permissions
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from accounts.lib.sql.append_only import make_append_only
from tables.models.command_ids import refuse_ids_of_chat

APPEND_ONLY: Final = ("accounts_act", "accounts_transfer", "accounts_walletentry")
SEES: Final = (
    "accounts.view_account", "accounts.view_act", "accounts.view_housesettings",
    "accounts.view_transfer", "accounts.view_user", "tables.view_alert", "tables.view_books",
    "tables.view_change", "tables.view_chatline", "tables.view_hand", "tables.view_pilegame",
    "tables.view_report", "tables.view_round", "tables.view_seat", "tables.view_shoe",
    "tables.view_table",
)  # fmt: skip
FLOOR: Final = (
    *SEES, "accounts.announce", "accounts.approve_user", "accounts.ban_network",
    "accounts.note_user", "accounts.silence_user", "tables.answer_report", "tables.run_table",
)  # fmt: skip
CASHIER: Final = (
    "accounts.adjust_wallet", "accounts.note_user", "accounts.view_account",
    "accounts.view_transfer", "accounts.view_user", "tables.fill_rack", "tables.view_alert",
    "tables.view_books", "tables.view_hand", "tables.view_round",
)  # fmt: skip
MANAGER: Final = (
    *FLOOR, *CASHIER, "accounts.adjust_without_limit", "accounts.approve_change",
    "accounts.change_housesettings", "accounts.end_session", "accounts.freeze_user",
    "accounts.invite_user", "accounts.maintain", "accounts.manage_staff", "tables.add_table",
    "tables.approve_void", "tables.change_table", "tables.run_audit", "tables.void_round",
)  # fmt: skip
ROLES: Final = {"floor": FLOOR, "cashier": CASHIER, "manager": MANAGER}
"""The permissions of the groups in a new database."""


def create_schema(editor: BaseDatabaseSchemaEditor, apps: StateApps) -> None:
    """Create the database tables of all models, their triggers and first rows."""
    for model in apps.get_models():
        if model._meta.can_migrate(editor.connection):
            editor.create_model(model)
    # PostgreSQL alters no table into which rows were inserted in this transaction.
    while editor.deferred_sql:
        editor.execute(editor.deferred_sql.pop(0))
    for table in APPEND_ONLY:
        make_append_only(editor, table)
    refuse_ids_of_chat(editor)
    if editor.connection.vendor == "postgresql":
        # As in tables.0017_change_bodies: the next version of a row stays in its page.
        editor.execute("ALTER TABLE tables_table SET (fillfactor = 50)", params=None)
    alias = editor.connection.alias
    apps.get_model("accounts", "Account").objects.using(alias).create(kind="bank")
    apps.get_model("accounts", "HouseSettings").objects.using(alias).create(pk=1)
    _create_roles(editor, apps)


def _create_roles(editor: BaseDatabaseSchemaEditor, apps: StateApps) -> None:
    alias = editor.connection.alias
    for label in ("accounts", "tables"):  # Django creates their permissions after all migrations
        config = apps.get_app_config(label)
        # create_permissions skips an app without a module of models, and only tests whether there is one.
        config.models_module = True  # type: ignore[assignment]
        create_permissions(config, apps=apps, verbosity=0, using=alias)
        config.models_module = None
    permissions = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in apps.get_model("auth", "Permission")
        .objects.using(alias)
        .select_related("content_type")
    }
    for name, codes in ROLES.items():
        group = apps.get_model("auth", "Group").objects.using(alias).create(name=name)
        group.permissions.set([permissions[code] for code in codes])
