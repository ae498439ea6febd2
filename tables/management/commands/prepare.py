"""``manage.py prepare``: the steps to run once before serving the site."""

from __future__ import annotations

import fcntl
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from tables.lib import arguments, error_text, process_lock
from tables.lib.database import move_marker, query_statistics
from tables.lib.database.file import verify_writable
from tables.realtime import last_published

OWN: Final = ("accounts", "tables")
"""The apps whose tables no other program has."""
PAUSE: Final = 2.0
"""Seconds between two tries to reach the database, or to get its lock."""
LOCK: Final = "prepare.lock"


LONGEST_WAIT: Final = 86_400
"""Seconds, a day."""


class Command(BaseCommand):
    help = "Migrate the database, collect static files, and open a table for each rule set."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--wait", type=arguments.whole_number_parser(0, LONGEST_WAIT), default=0, metavar="SECONDS",
            help="how long to wait for a database that cannot be reached yet",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        self._wait_for_database(options["wait"])
        with _locked():
            self._prepare()

    def _prepare(self) -> None:
        move_marker.verify_servable()
        _verify_own_database()
        call_command("migrate", verbosity=0)
        query_statistics.analyze_tables()
        try:
            call_command("collectstatic", interactive=False, verbosity=0)
        except OSError as error:
            why = error_text.describe(error)
            raise CommandError(
                f"The static files cannot be written: {why}. Free some space on the disk, or give the "
                f"folder {settings.STATIC_ROOT} to the user who runs this."
            ) from error
        call_command("open_tables")

    def _wait_for_database(self, seconds: int) -> None:
        """Wait until the database can be written, which may be recovering after a power failure."""
        until = time.monotonic() + seconds
        while True:
            try:
                connection.ensure_connection()
                verify_writable()
            except OperationalError as error:
                if time.monotonic() >= until:
                    raise
                why = error_text.describe(error)
                self.stderr.write(f"The database cannot be reached yet: {why}")
                connection.close()
                time.sleep(PAUSE)
            else:
                return


@contextmanager
def _locked() -> Iterator[None]:
    """Wait until no other process prepares this database, or these static files."""
    with ExitStack() as stack:
        with suppress(OSError):  # a folder that cannot be written is refused later, in words
            file = stack.enter_context(Path(settings.DATA_DIR, LOCK).open("a"))
            fcntl.flock(file, fcntl.LOCK_EX)
        if connection.vendor == "postgresql":
            while not _query(process_lock.TRY_LOCK):
                time.sleep(PAUSE)
            stack.callback(_query, process_lock.UNLOCK)
        yield


def _query(statement: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, [process_lock.KEY_OF_PREPARE])
        return bool(cursor.fetchone()[0])


def _verify_own_database() -> None:
    """Raise :class:`CommandError` for a database without our tables that has those of another program, or
    that has been played on: it was lost, and an empty one would be taken for the site.
    """
    names = {*connection.introspection.table_names()} - {MigrationRecorder.Migration._meta.db_table}
    own = {model._meta.db_table for app in OWN for model in apps.get_app_config(app).get_models()}
    if names & own:
        return
    place = connection.settings_dict["NAME"]
    if names and connection.vendor == "sqlite":
        raise CommandError(
            f"{place} is the database of another program, with the table {min(names)}. Correct "
            "DATABASE_URL or BLACKJACK_DATA."
        )
    if marks := last_published.list_paths():
        raise CommandError(
            f"{place} is empty, but there was a site with rounds. Restore a backup; or, for a new site, "
            f"remove {', '.join(map(str, marks))} first."
        )
