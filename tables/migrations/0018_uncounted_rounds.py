"""Rounds that wait for the projector. Those that are settled before are counted already."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0017_change_bodies"),
    ]

    operations = [
        migrations.CreateModel(
            name="UncountedRound",
            fields=[
                (
                    "round",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tables.round",
                    ),
                ),
            ],
            options={"ordering": ["round"]},
        ),
        migrations.AddField("tally", "last_at", models.DateTimeField(null=True)),
        migrations.AlterField(
            "takings",
            "table",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="takings",
                to="tables.table",
            ),
        ),
    ]
