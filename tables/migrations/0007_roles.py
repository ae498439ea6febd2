"""The operators' roles, as groups: what each may do is listed here by name."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management import create_permissions
from django.db import migrations

SEES = (
    "accounts.view_account", "accounts.view_act", "accounts.view_transfer", "accounts.view_user",
    "accounts.view_housesettings", "tables.view_books", "tables.view_change",
    "tables.view_chatline", "tables.view_hand", "tables.view_pilegame", "tables.view_report",
    "tables.view_round", "tables.view_seat", "tables.view_shoe", "tables.view_table",
)  # fmt: skip
FLOOR = (
    *SEES, "accounts.announce", "accounts.note_user", "accounts.silence_user",
    "tables.answer_report", "tables.run_table",
)  # fmt: skip
CASHIER = (
    "accounts.adjust_wallet", "accounts.note_user", "accounts.view_account",
    "accounts.view_transfer", "accounts.view_user", "tables.fill_rack", "tables.view_books",
    "tables.view_hand", "tables.view_round",
)  # fmt: skip
MANAGER = (
    *FLOOR, *CASHIER, "accounts.adjust_without_limit", "accounts.change_housesettings",
    "accounts.freeze_user", "accounts.maintain", "tables.add_table", "tables.approve_void",
    "tables.change_table", "tables.run_audit", "tables.void_round",
)  # fmt: skip
ROLES = {"floor": FLOOR, "cashier": CASHIER, "manager": MANAGER}


def make_permissions(apps: Any, editor: Any) -> None:
    """Django makes them after all migrations, which is too late for the roles."""
    for label in ("accounts", "tables"):
        config = apps.get_app_config(label)
        config.models_module = True
        create_permissions(config, apps=apps, verbosity=0, using=editor.connection.alias)
        config.models_module = None


def make_roles(apps: Any, editor: Any) -> None:
    Permission = apps.get_model("auth", "Permission")
    permissions = {
        f"{permission.content_type.app_label}.{permission.codename}": permission
        for permission in Permission.objects.select_related("content_type")
    }
    for name, codes in ROLES.items():
        group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=name)
        group.permissions.set([permissions[code] for code in codes])


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0006_operators"),
        ("accounts", "0005_operators"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RunPython(make_permissions, migrations.RunPython.noop),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
