"""How often an account's balance has changed."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0006_epoch"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="seq",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
    ]
