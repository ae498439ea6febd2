"""Open the bank, and have the database refuse every change to the books."""

from __future__ import annotations

from typing import Any

from django.db import migrations

from accounts.lib.sql.append_only import make_append_only, make_changeable


def open_the_bank(apps: Any, editor: Any) -> None:
    apps.get_model("accounts", "Account").objects.create(kind="bank")


def close_the_books(apps: Any, editor: Any) -> None:
    make_append_only(editor, "accounts_transfer")


def open_the_books(apps: Any, editor: Any) -> None:
    make_changeable(editor, "accounts_transfer")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [
        migrations.RunPython(open_the_bank, migrations.RunPython.noop),
        migrations.RunPython(close_the_books, open_the_books),
    ]
