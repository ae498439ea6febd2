"""Whether a player had hints in a round."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0024_practice")]

    operations = [
        migrations.AddField(
            model_name="result",
            name="had_hints",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
