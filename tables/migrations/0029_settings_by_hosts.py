"""Who has chosen the pending settings of a table."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0028_pauses_by_hosts")]

    operations = [
        migrations.AddField(
            model_name="table",
            name="coming_by",
            field=models.CharField(blank=True, db_default="", default="", max_length=150),
        ),
    ]
