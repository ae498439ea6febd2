"""Words of shoes take less room as a text: on PostgreSQL a third of the row."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0041_ungraded_rounds"),
    ]

    operations = [
        migrations.AlterField("shoe", "words", models.TextField(default="[]")),
    ]
