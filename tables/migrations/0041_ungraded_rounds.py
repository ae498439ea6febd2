"""Rounds that wait for their grades have a row of their own; a grade is inserted once, complete."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

ROWS = 1_000
"""Rows inserted with one statement."""


def move_waiting(apps: Any, schema_editor: Any) -> None:
    """The rounds of the grades that wait, and no more of those grades."""
    Grade, UngradedRound = (apps.get_model("tables", name) for name in ("Grade", "UngradedRound"))
    waiting = Grade.objects.filter(graded_at=None).order_by()
    rounds = dict(waiting.values_list("result__round", "is_public").iterator())
    UngradedRound.objects.bulk_create(
        (UngradedRound(round_id=pk, is_public=is_public) for pk, is_public in rounds.items()),
        batch_size=ROWS,
    )
    waiting.delete()


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0040_reports_of_people"),
    ]

    operations = [
        migrations.CreateModel(
            name="UngradedRound",
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
                ("is_public", models.BooleanField(default=False)),
            ],
            options={"ordering": ["round"]},
        ),
        migrations.RunPython(move_waiting, migrations.RunPython.noop),
        migrations.RemoveIndex("grade", "grades_to_do"),
        migrations.RemoveField("grade", "graded_at"),
    ]
