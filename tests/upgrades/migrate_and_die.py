"""``manage.py migrate`` that is killed in the middle of one migration.

``python -m tests.upgrades.migrate_and_die tables.0003_company``: it is done and not yet recorded.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import django
from django.core.management import call_command


def main(which: str) -> None:
    """Migrate, and die when this migration is to be recorded."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "blackjack_site.settings"
    django.setup()
    from django.db.migrations.executor import MigrationExecutor

    record = MigrationExecutor.record_migration

    def record_or_die(self: MigrationExecutor, migration: Any) -> None:
        if f"{migration.app_label}.{migration.name}" == which:
            os.kill(os.getpid(), signal.SIGKILL)
        record(self, migration)

    MigrationExecutor.record_migration = record_or_die
    call_command("migrate", verbosity=0)


if __name__ == "__main__":
    main(sys.argv[1])
