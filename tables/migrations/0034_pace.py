"""Time banks of tables, and players who sit out."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0033_chips")]

    operations = [
        migrations.AddField(
            model_name="table",
            name="time_bank_seconds",
            field=models.PositiveSmallIntegerField(
                choices=[(0, "no time bank"), (30, "30 seconds"), (60, "60 seconds")],
                db_default=0,
                default=0,
                verbose_name="time bank",
            ),
        ),
        migrations.AddField(
            model_name="seat",
            name="is_sitting_out",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="seat",
            name="sat_out_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="seat",
            name="rounds_sat_out",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
