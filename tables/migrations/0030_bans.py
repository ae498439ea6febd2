"""Players whom a host has banned from a table."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0029_settings_by_hosts")]

    operations = [
        migrations.AddField(
            model_name="removal",
            name="is_ban",
            field=models.BooleanField(db_default=False, default=False, verbose_name="ban"),
        ),
    ]
