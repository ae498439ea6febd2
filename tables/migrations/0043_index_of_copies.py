"""Index only shoes that are copies: hardly any is."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q
from django.db.models.deletion import PROTECT


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0042_words_as_text"),
    ]

    operations = [
        migrations.AlterField(
            "shoe",
            "same_as",
            models.ForeignKey(
                blank=True, db_index=False, null=True, on_delete=PROTECT, related_name="copies",
                to="tables.shoe",
            ),
        ),
        migrations.AddIndex(
            "shoe",
            models.Index(
                fields=["same_as"], name="copies_of_a_shoe", condition=Q(same_as__isnull=False)
            ),
        ),
    ]
