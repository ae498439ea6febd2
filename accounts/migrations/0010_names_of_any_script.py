"""Names with the letters of any script, and their look, which no two may share.

Of existing names that look the same the older keeps its look, and the younger has none.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

import accounts.models.names
import accounts.models.users
from accounts.lib import names

BATCH = 1000


def fill(apps: Any, schema_editor: Any) -> None:
    users = apps.get_model("accounts", "User")
    seen: set[str] = set()
    batch = []
    for user in users.objects.order_by("pk").only("pk", "username", "is_active", "frozen_at").iterator():
        user.folded = names.folded(user.username)
        look = names.skeleton(user.username)
        is_deleted = not user.is_active and user.frozen_at is None
        if look not in seen and not is_deleted:
            user.skeleton = look
            seen.add(look)
        batch.append(user)
        if len(batch) == BATCH:
            users.objects.bulk_update(batch, ["folded", "skeleton"], batch_size=100)
            batch.clear()
    users.objects.bulk_update(batch, ["folded", "skeleton"], batch_size=100)


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0009_user_language"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="user", name="username_unique_regardless_of_case"
        ),
        migrations.AlterModelManagers(
            name="user", managers=[("objects", accounts.models.users.NamedUsers())]
        ),
        migrations.AlterField(
            model_name="user",
            name="username",
            field=models.CharField(
                error_messages={"unique": "That name is taken. Choose another one."},
                help_text="Up to 20 letters or digits, no spaces.",
                max_length=80,
                unique=True,
                validators=[names.validate],
                verbose_name="name",
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="folded",
            field=models.CharField(max_length=250, null=True, editable=False),
        ),
        migrations.AddField(
            model_name="user",
            name="skeleton",
            field=models.CharField(max_length=250, null=True, blank=True, editable=False),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="user",
            name="folded",
            field=accounts.models.names.FoldedName(
                max_length=250, unique=True, editable=False
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="skeleton",
            field=accounts.models.names.NameSkeleton(
                max_length=250, unique=True, null=True, blank=True, editable=False
            ),
        ),
    ]
