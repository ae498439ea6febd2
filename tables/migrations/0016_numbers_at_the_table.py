"""Rounds and shoes have a number at their table, from 1."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import F, Window
from django.db.models.functions import RowNumber

BATCH = 1000


def count(apps: Any, schema_editor: Any) -> None:
    table_model = apps.get_model("tables", "Table")
    round_model, shoe_model = apps.get_model("tables", "Round"), apps.get_model("tables", "Shoe")
    _count(round_model.objects.filter(dealt_at__isnull=False), round_model)
    _count(shoe_model.objects.all(), shoe_model)
    for table in table_model.objects.only("pk").order_by("pk"):
        rounds = round_model.objects.filter(table=table).aggregate(last=models.Max("number"))
        shoes = shoe_model.objects.filter(table=table).aggregate(last=models.Max("number"))
        table_model.objects.filter(pk=table.pk).update(
            round_count=rounds["last"] or 0, shoe_count=shoes["last"] or 0
        )


def _count(rows: Any, model: Any) -> None:
    """Number these rows of each table in the order of their ids."""
    in_order = Window(RowNumber(), partition_by=F("table"), order_by=F("pk").asc())
    batch = []
    numbered = rows.order_by("pk").annotate(place=in_order).values_list("pk", "place")
    for pk, place in numbered.iterator(chunk_size=BATCH):
        batch.append(model(pk=pk, number=place))
        if len(batch) == BATCH:
            model.objects.bulk_update(batch, ["number"], batch_size=200)
            batch.clear()
    model.objects.bulk_update(batch, ["number"], batch_size=200)


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0015_old_codes_and_removals"),
    ]

    operations = [
        migrations.AddField("table", "round_count", models.PositiveIntegerField(default=0)),
        migrations.AddField("table", "shoe_count", models.PositiveIntegerField(default=0)),
        migrations.AddField(
            "round", "number", models.PositiveIntegerField(null=True, blank=True)
        ),
        migrations.AddField("shoe", "number", models.PositiveIntegerField(null=True)),
        migrations.RunPython(count, migrations.RunPython.noop),
        migrations.AlterField("shoe", "number", models.PositiveIntegerField()),
        migrations.AddConstraint(
            "round",
            models.UniqueConstraint(fields=["table", "number"], name="a_table_counts_its_rounds"),
        ),
        migrations.AddConstraint(
            "shoe",
            models.UniqueConstraint(fields=["table", "number"], name="a_table_counts_its_shoes"),
        ),
    ]
