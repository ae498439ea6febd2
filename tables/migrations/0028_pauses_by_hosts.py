"""Whether a pause is the host's, who may end it."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0027_calls")]

    operations = [
        migrations.AddField(
            model_name="table",
            name="is_paused_by_host",
            field=models.BooleanField(
                db_default=False, default=False, verbose_name="paused by the host"
            ),
        ),
        migrations.AddIndex(
            model_name="table",
            index=models.Index(
                condition=models.Q(("is_paused_by_host", True)),
                fields=["paused_at"],
                name="pauses_of_hosts",
            ),
        ),
    ]
