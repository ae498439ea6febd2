"""On PostgreSQL: have the trigger for ids of the chat wait for other commands of the player."""

from __future__ import annotations

from typing import Any

from django.db import migrations

from tables.models.command_ids import replace_function


def replace(apps: Any, editor: Any) -> None:
    replace_function(editor)


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0043_index_of_copies"),
    ]

    operations = [migrations.RunPython(replace, migrations.RunPython.noop)]
