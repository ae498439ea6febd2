"""``manage.py restore``: replace the database by a backup."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from tables.backups import archive, postgresql, sqlite
from tables.backups.archive import Manifest
from tables.lib import arguments, error_text, process_lock
from tables.realtime import epochs
from tables.realtime.process_registry import verify_no_server_runs

UNPACKED: Final = ".blackjack-restore-"
"""The beginning of the name of a folder with the unpacked backup."""


class Command(BaseCommand):
    help = "Replace the site by a backup. No server may run meanwhile."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=arguments.parse_path)
        parser.add_argument("--yes", action="store_true", help="in the place of what is there")

    def handle(self, *args: Any, **options: Any) -> None:
        with ExitStack() as stack:
            about, aside = self._restore(stack, options["file"], yes=options["yes"])
            call_command("migrate", verbosity=0)
            changed = epochs.begin_epoch()
        # Not before: a failure to print must not end this between the new database and its epoch.
        if aside is not None:
            self.stdout.write(f"What was there is kept in {aside}")
        self.stdout.write(f"The site is as it was at {about.made_at}.")
        self.stdout.write(f"A new epoch has begun: {changed} tables have a new shoe.")
        call_command("audit", stdout=self.stdout)

    def _restore(self, stack: ExitStack, file: Path, *, yes: bool) -> tuple[Manifest, Path | None]:
        """Replace the database by the backup. A lock on SQLite's stays in ``stack``."""
        database = settings.DATABASES["default"]
        beside = _find_file().parent if connection.vendor == "sqlite" else None
        try:
            if beside is not None:
                stack.enter_context(process_lock.lock_database_file(database["NAME"]))
                for path in beside.glob(f"{UNPACKED}*"):
                    shutil.rmtree(path, ignore_errors=True)  # of a restore that was killed
            with tempfile.TemporaryDirectory(prefix=UNPACKED, dir=beside) as inside:
                about, data = archive.unpack(file, Path(inside))
                _verify_readable(about)
                if about.kind == "sqlite":
                    sqlite.verify_migrations(data, about.migrations)
                if _has_data():
                    verify_no_server_runs()
                    _verify_replaceable(yes)
                return about, _replace(database, data)
        except (
            OSError, sqlite3.Error, DatabaseError, archive.DamagedBackup, postgresql.BackupFailed
        ) as error:  # fmt: skip
            raise CommandError(f"Nothing was restored: {error_text.describe(error)}") from error


def _replace(database: dict[str, Any], data: Path) -> Path | None:
    """Replace the database by ``data``; return where the old one is kept, if it is a file."""
    connection.close()
    if connection.vendor == "postgresql":
        postgresql.restore(database, data)
        return None
    file = _find_file()
    aside = sqlite.find_aside(file, timezone.now())
    sqlite.restore(data, file, aside)
    return aside if aside.exists() else None


def _verify_readable(about: Manifest) -> None:
    if about.kind != connection.vendor:
        raise CommandError(
            f"That is a backup of {about.kind}, and DATABASE_URL names {connection.vendor}."
        )
    if not about.migrations.split():
        raise CommandError("That is a backup of a database with nothing of this program in it.")
    migrations = MigrationLoader(None).disk_migrations
    for migration in about.migrations.split():
        app, name = migration.split(".", 1)
        if (app, name) not in migrations:
            raise CommandError(
                f"That is a backup of a newer version of this program ({migration}): "
                "restore it with that one."
            )


def _verify_replaceable(yes: bool) -> None:
    if not yes:
        raise CommandError(
            "There is a site already. With --yes the backup takes its place: "
            "what happened since it was made is lost to its players."
        )


def _has_data() -> bool:
    """Whether the database has data that would be lost; a damaged database counts."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            return bool(connection.introspection.table_names(cursor))
    file = _find_file()
    return file.exists() and file.stat().st_size > 0


def _find_file() -> Path:
    """The file of the SQLite database, where it is: its path may be a link to another disk."""
    return Path(settings.DATABASES["default"]["NAME"]).resolve()
