"""Managers run the staff, and a role alone is the permission to enter.

Who had no role, or had a role and could not enter, keeps neither: nobody gets in who did not before.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management import create_permissions
from django.db import migrations

CODES = ("approve_change", "end_session", "manage_staff")


def make_permissions(apps: Any, editor: Any) -> None:
    """Django makes them after all migrations, which is too late for the roles."""
    config = apps.get_app_config("accounts")
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0, using=editor.connection.alias)
    config.models_module = None


def extend_role(apps: Any, editor: Any) -> None:
    permissions = apps.get_model("auth", "Permission").objects
    found = permissions.filter(content_type__app_label="accounts", codename__in=CODES)
    apps.get_model("auth", "Group").objects.get(name="manager").permissions.add(*found)


def align_entry(apps: Any, editor: Any) -> None:
    User = apps.get_model("accounts", "User")
    for user in User.objects.filter(is_staff=False, groups__isnull=False).distinct():
        user.groups.clear()
    User.objects.filter(is_staff=False, is_superuser=True).update(is_superuser=False)
    without = User.objects.filter(is_staff=True, is_superuser=False, groups__isnull=True)
    User.objects.filter(pk__in=[*without.values_list("pk", flat=True)]).update(is_staff=False)


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0037_taking_back"),
        ("accounts", "0017_staff"),
    ]

    operations = [
        migrations.RunPython(make_permissions, migrations.RunPython.noop),
        migrations.RunPython(extend_role, migrations.RunPython.noop),
        migrations.RunPython(align_entry, migrations.RunPython.noop),
    ]
