"""The epoch of the house."""

from __future__ import annotations

from django.db import migrations, models

import accounts.models.site


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0005_operators"),
    ]

    operations = [
        # There is one row, so that the default is made for it alone.
        migrations.AddField(
            model_name="housesettings",
            name="epoch",
            field=models.CharField(
                default=accounts.models.site.new_epoch, editable=False, max_length=16
            ),
        ),
    ]
