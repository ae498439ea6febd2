"""Whether a table allows hints, and who has turned them on."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0022_grades")]

    operations = [
        migrations.AddField(
            model_name="table",
            name="has_hints",
            field=models.BooleanField(db_default=True, default=True, verbose_name="hints"),
        ),
        migrations.AddField(
            model_name="seat",
            name="has_hints",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
