"""``manage.py backup``: the whole database in one file, during play."""

from __future__ import annotations

import datetime as dt
import sqlite3
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from accounts.lib import server_clock
from accounts.models import HouseSettings
from tables.backups import archive, postgresql, sqlite
from tables.lib import arguments, error_text
from tables.models import Backup

OWN = ("accounts", "tables")
"""Our apps, whose migrations are the version of the data."""


MOST_BACKUPS = 1_000_000


class Command(BaseCommand):
    help = "Write the whole site into one file of this folder, while it is played in."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=arguments.parse_path)
        parser.add_argument(
            "--keep", type=arguments.whole_number_parser(1, MOST_BACKUPS),
            help="remove older ones, so that so many are there",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        made_at = timezone.now()
        target = folder / archive.backup_name(made_at)
        try:
            migrations = _list_last_migrations()
            if not migrations:
                raise archive.DamagedBackup("this database has nothing of this program in it")
            folder.mkdir(parents=True, exist_ok=True)
            with archive.lock_folder(folder) as is_alone:
                if is_alone:
                    archive.delete_unfinished(folder)
                _make_backup(target, made_at, migrations)
                removed = archive.delete_old(target, options["keep"]) if options["keep"] else []
        except (OSError, sqlite3.Error, archive.DamagedBackup, postgresql.BackupFailed) as error:
            raise CommandError(f"There is no backup: {error_text.describe(error)}") from error
        self._record(target)
        self.stdout.write(f"{target} ({target.stat().st_size} bytes)")
        for path in removed:
            self.stdout.write(f"removed {path}")

    def _record(self, target: Path) -> None:
        """Record the backup, so that operators are called when the next one does not come."""
        try:
            Backup.objects.create(
                epoch=HouseSettings.objects.get(pk=1).epoch,
                finished_at=server_clock.now(),
                name=target.name,
                size=target.stat().st_size,
            )
        except (DatabaseError, HouseSettings.DoesNotExist) as error:
            # The database of an older version has no place for it. The backup is there all the same.
            why = error_text.describe(error)
            self.stderr.write(f"The backup was made, but could not be recorded: {why}")


def _make_backup(target: Path, made_at: dt.datetime, migrations: str) -> None:
    with tempfile.TemporaryDirectory(prefix=archive.UNPACKED, dir=target.parent) as inside:
        data = Path(inside) / archive.DATA
        _copy_database(data, migrations)
        archive.pack(data, target, kind=connection.vendor, made_at=made_at, migrations=migrations)


def _copy_database(data: Path, migrations: str) -> None:
    database = settings.DATABASES["default"]
    if connection.vendor == "postgresql":
        postgresql.dump(database, data)
    else:
        sqlite.copy(Path(database["NAME"]), data)
        sqlite.verify_migrations(data, migrations)


def _list_last_migrations() -> str:
    """The last migration of each of our apps."""
    applied = sorted(MigrationRecorder(connection).applied_migrations())
    return " ".join({app: f"{app}.{name}" for app, name in applied if app in OWN}.values())
