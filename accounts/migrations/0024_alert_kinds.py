"""Calls for accounts and changes that wait, at sites that are called for everything."""

from __future__ import annotations

from typing import Any

from django.db import migrations

BEFORE = frozenset({"report", "void", "rack", "band", "audit", "backup", "process"})
NEW = ("account", "change")


def call_for_new_kinds(apps: Any, editor: Any) -> None:
    """Add the new kinds where all others are chosen. Who chose some of them keeps the choice."""
    settings = apps.get_model("accounts", "HouseSettings").objects.using(
        editor.connection.alias
    )
    for row in settings.all():
        for column in ("alert_email_kinds", "alert_webhook_kinds"):
            kinds = getattr(row, column).split(",")
            if BEFORE <= {*kinds}:
                new_kinds = [kind for kind in NEW if kind not in kinds]
                settings.filter(pk=row.pk).update(**{column: ",".join([*kinds, *new_kinds])})


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0023_operators_sign_up'),
    ]

    operations = [
        migrations.RunPython(call_for_new_kinds, migrations.RunPython.noop),
    ]
