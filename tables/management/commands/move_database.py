"""``manage.py move_database``: copy the whole site into another database, where it goes on."""

from __future__ import annotations

import ast
import os
import re
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from accounts.ledger.audit import ignore_progress, read_snapshot
from tables.backups import sqlite, table_copy
from tables.backups.table_copy import Checksum, TableCopy
from tables.lib import error_text, manage_command, process_lock
from tables.lib.database import move_marker
from tables.operators.books import audit_runs
from tables.realtime import epochs
from tables.realtime.process_registry import verify_no_server_runs

SOURCE: Final = "source"
"""The alias of the old database. The new one is the default: migrations and audit run there."""
SOURCE_VARIABLE: Final = "BLACKJACK_MOVE_SOURCE"
"""Passes the old database on to the process that has the settings of the new one."""
HERE_VARIABLE: Final = "BLACKJACK_MOVE_HERE"
"""Whether the command began with the settings of the new database."""
DOUBT_VARIABLE: Final = "BLACKJACK_MOVE_DOUBT"
TARGET_VARIABLE: Final = "TARGET_DATABASE_URL"
OWN_FILE: Final = "sqlite"
ADDRESSES: Final = (
    "postgres://user:password@host:5432/name, sqlite:////path/of/a/file, or "
    f"{OWN_FILE} for the file in BLACKJACK_DATA"
)
TARGETS: Final = re.compile(r"(postgres|postgresql|sqlite)://.")
MOST_FAULTS: Final = 100
UNHURRIED: Final = (
    "SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0"
)  # fmt: skip
LARGE_CACHE: Final = "PRAGMA cache_size = -65536"
"""64 MB, in kilobytes."""
LEDGER: Final = {
    "accounts_account": "balance",
    "accounts_transfer": "amount",
    "accounts_walletentry": "amount",
    "tables_result": "payout",
}
"""The columns whose sums are compared by the databases themselves."""


class Command(BaseCommand):
    help = (
        "Copy the whole site into another database, compare the two, and end the service of the "
        "old one. No server may run meanwhile."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "target", nargs="?", type=_parse_address,
            help="the DATABASE_URL of the new database; sqlite is the file in BLACKJACK_DATA. "
            f"Without it, {TARGET_VARIABLE} names it: arguments are seen by other users",
        )  # fmt: skip
        parser.add_argument(
            "--from", dest="old", type=_parse_address,
            help="the DATABASE_URL of the old database; the new one is that of this command",
        )  # fmt: skip
        parser.add_argument("--yes", action="store_true", help="in the place of what is there")
        parser.add_argument(
            "--keep-faults", action="store_true",
            help="move also if the audit finds errors, which the old database has as well",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        if SOURCE_VARIABLE not in os.environ:
            if options["old"]:
                self._begin_from(options)
            self._begin(options)
            return
        _add_source(os.environ.pop(SOURCE_VARIABLE))
        try:
            self._move(os.environ.pop(DOUBT_VARIABLE, ""), options)
        except (OSError, DatabaseError) as error:
            raise CommandError(f"Nothing was moved: {error_text.describe(error)}") from error

    def _begin_from(self, options: dict[str, Any]) -> NoReturn:
        """Begin with the settings of the old database."""
        target = os.environ.get("DATABASE_URL") or OWN_FILE
        old = "" if options["old"] == OWN_FILE else options["old"]
        environment = {TARGET_VARIABLE: target, "DATABASE_URL": old, HERE_VARIABLE: "1"}
        self._execute(environment, options)

    def _execute(self, environment: dict[str, str], options: dict[str, Any]) -> NoReturn:
        """Go on in a program with other variables."""
        connection.close()
        words = [name for name in ("--yes", "--keep-faults") if options[name[2:].replace("-", "_")]]
        program = [sys.executable, str(settings.BASE_DIR / "manage.py"), "move_database", *words]
        self.stdout.flush()
        os.execve(sys.executable, program, {**os.environ, **environment})  # noqa: S606 - our own

    def _begin(self, options: dict[str, Any]) -> None:
        """Check the old database, and go on in a program with the settings of the new one."""
        target = options["target"] or os.environ.get(TARGET_VARIABLE, "")
        if not _is_address(target):
            raise CommandError(f"Name the new database: {ADDRESSES}.")
        if not _has_tables(connection):
            raise CommandError("There is no site in the database of DATABASE_URL to be moved.")
        _verify_migrated(connection)
        environment = {
            SOURCE_VARIABLE: repr(_as_literals(settings.DATABASES["default"])),
            DOUBT_VARIABLE: epochs.explain_doubt(),
            "DATABASE_URL": "" if target == OWN_FILE else target,
        }
        self._execute(environment, options)

    def _move(self, doubt: str, options: dict[str, Any]) -> None:
        source, began = connections[SOURCE], time.monotonic()
        if _describe(source) == _describe(connection):
            raise CommandError("The new database is the old one.")
        is_again = self._verify_target(options["yes"])
        self.stdout.write(f"From {_describe(source)}\nto {_describe(connection)}:")
        with _locked(source):
            if (mark := move_marker.read(source)) and not (
                is_again and mark == _describe(connection)
            ):
                move_marker.verify_servable(source)
            self._clear_target()
            call_command("migrate", verbosity=0)
            copies = table_copy.list_copies(source, connection)
            with transaction.atomic():
                _be_unhurried(connection)
                self._copy(copies)
                self._compare_sums(source)
                epochs.adopt_database()
            self._audit(keep_faults=options["keep_faults"])
            move_marker.write(source, _describe(connection))
        # From here on neither is served, until the next line is done: it may be run again.
        epochs.begin_marks()
        if doubt:
            changed = epochs.begin_epoch()
            self.stdout.write(
                "The old database had been restored, copied or set back since its last server "
                f"({doubt}). So a new epoch has begun: {changed} tables have a new shoe."
            )
        else:
            move_marker.remove()
            self.stdout.write("The epoch is the same: rounds in play go on with the same cards.")
        self._print_end(time.monotonic() - began)

    def _verify_target(self, yes: bool) -> bool:
        """Check that the new database is empty or may be replaced; return whether an unfinished
        move is there."""
        if not _has_tables(connection):
            return False
        if move_marker.read() == move_marker.UNFINISHED:
            return True
        verify_no_server_runs()
        if not yes:
            raise CommandError(
                "There is something in the new database already. With --yes the site takes its "
                "place; what is there is lost to its players."
            )
        return False

    def _clear_target(self) -> None:
        """Empty the new database, and mark it."""
        is_replaced = _has_tables(connection)
        if connection.vendor == "sqlite" and is_replaced:
            is_unfinished = move_marker.read() == move_marker.UNFINISHED
            connection.close()
            file = Path(connection.settings_dict["NAME"]).resolve()
            aside = sqlite.find_aside(file, timezone.now())
            sqlite.set_aside(file, aside)
            if is_unfinished:
                sqlite.delete(aside)
            else:
                self.stdout.write(f"What was there is kept in {aside}")
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql" and is_replaced:
                cursor.execute("DROP SCHEMA public CASCADE")
                cursor.execute("CREATE SCHEMA public")
            move_marker.write(connection, move_marker.UNFINISHED)

    def _copy(self, copies: list[TableCopy]) -> None:
        for copy in reversed(copies):
            copy.clear()
        checksums: dict[str, Checksum] = {}
        for copy in copies:
            began = time.monotonic()
            checksums[copy.name] = copy.copy()
            copy.copy_last_id()
            if rows := checksums[copy.name].rows:
                seconds = time.monotonic() - began
                self.stdout.write(f"  {copy.name}: {rows:,} rows in {seconds:.1f} s")
                self.stdout.flush()
        for copy in copies:
            if copy.sum_target() != checksums[copy.name]:
                raise CommandError(
                    f"Nothing was moved: the rows of {copy.name} are not the same in the new "
                    "database. Please report this."
                )
        rows = sum(checksum.rows for checksum in checksums.values())
        self.stdout.write(f"Compared: {rows:,} rows in {len(copies)} tables are the same.")

    def _compare_sums(self, source: BaseDatabaseWrapper) -> None:
        for table, column in LEDGER.items():
            before, after = _sum(source, table, column), _sum(connection, table, column)
            if before != after:
                raise CommandError(
                    f"Nothing was moved: {table}.{column} comes to {after} and not to {before}."
                )
        self.stdout.write("The sums of the ledger are the same.")

    def _audit(self, *, keep_faults: bool) -> None:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        with read_snapshot():
            faults = list(islice(audit_runs.find_all_faults(ignore_progress), MOST_FAULTS))
        if not faults:
            self.stdout.write("The audit of the new database: everything adds up.")
            return
        text = "\n".join(faults)
        if not keep_faults:
            raise CommandError(
                f"{text}\nThe audit found these errors, which the old database has as well: all "
                "rows are the same. Nothing was moved; --keep-faults moves them too."
            )
        self.stdout.write(f"{text}\nThe audit found these errors, as in the old database.")

    def _print_end(self, seconds: float) -> None:
        self.stdout.write(
            f"The site has moved, in {seconds:.0f} s.\nNext: {_find_next_step()}. The old database "
            "is marked, and no server starts with it; keep it until you have a backup of the new one."
        )


def _find_next_step() -> str:
    if HERE_VARIABLE in os.environ:
        return "start the servers"
    is_own_file = connection.settings_dict["NAME"] == settings.DATA_DIR / "db.sqlite3"
    todo = "remove DATABASE_URL from" if is_own_file else "set DATABASE_URL to the new database in"
    return f"{todo} the environment of all servers and commands, and start the servers"


def _as_literals(described: dict[str, Any]) -> dict[str, Any]:
    return {
        name: str(value) if isinstance(value, Path) else value for name, value in described.items()
    }


def _is_address(text: str) -> bool:
    return text == OWN_FILE or bool(TARGETS.match(text) and "\0" not in text and len(text) < 4096)


def _parse_address(text: str) -> str:
    """Read the address of a database. The refusal does not repeat it: it may have a password."""
    if not _is_address(text):
        raise ArgumentTypeError(f"that is no address of a database: write {ADDRESSES}")
    return text


def _add_source(text: str) -> None:
    """Add the old database to the connections of this program."""
    described = ast.literal_eval(text)
    described.get("OPTIONS", {}).pop("pool", None)
    configured = connections.configure_settings({"default": {}, SOURCE: described})
    connections.settings[SOURCE] = configured[SOURCE]


@contextmanager
def _locked(source: BaseDatabaseWrapper) -> Iterator[None]:
    """Let nobody write into the old database; commit what the block has written into it."""
    with ExitStack() as stack:
        if source.vendor == "sqlite":
            stack.enter_context(process_lock.lock_database_file(source.settings_dict["NAME"]))
        else:
            _lock_on_postgresql(source)
        with transaction.atomic(using=SOURCE):  # takes SQLite's write lock
            if source.vendor == "postgresql":
                with source.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                    names = ", ".join(
                        source.ops.quote_name(copy.name)
                        for copy in table_copy.list_copies(source, source)
                    )
                    cursor.execute(f"LOCK TABLE {names} IN SHARE MODE")
            _be_unhurried(source)
            verify_no_server_runs(SOURCE)
            yield


def _lock_on_postgresql(source: BaseDatabaseWrapper) -> None:
    with source.cursor() as cursor:
        cursor.execute(process_lock.TRY_LOCK, [process_lock.KEY])
        if not cursor.fetchone()[0]:
            raise CommandError("A server runs with the old database. Stop it first.")


def _be_unhurried(database: BaseDatabaseWrapper | Any) -> None:
    """Remove the timeouts of this transaction, or let SQLite keep more of its indexes in memory."""
    statements = UNHURRIED if database.vendor == "postgresql" else (LARGE_CACHE,)
    with database.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _has_tables(database: BaseDatabaseWrapper | Any) -> bool:
    with database.cursor() as cursor:
        return bool(database.introspection.table_names(cursor))


def _verify_migrated(database: BaseDatabaseWrapper | Any) -> None:
    executor = MigrationExecutor(database)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError(
            f"The old database is not of this version: run {manage_command.name('migrate')} first."
        )


def _describe(database: BaseDatabaseWrapper | Any) -> str:
    """The address of a database, without its password."""
    config = database.settings_dict
    if database.vendor == "sqlite":
        return f"sqlite:///{Path(config['NAME']).resolve()}"
    user = f"{config['USER']}@" if config["USER"] else ""
    host = config["HOST"] or config["OPTIONS"].get("host", "")
    number = config["PORT"] or config["OPTIONS"].get("port", "")
    port = f":{number}" if number else ""
    if host.startswith("/"):
        return f"postgres://{user}{port}/{config['NAME']}?host={host}"
    return f"postgres://{user}{host}{port}/{config['NAME']}"


def _sum(database: BaseDatabaseWrapper | Any, table: str, column: str) -> int:
    with database.cursor() as cursor:
        cursor.execute(f"SELECT COALESCE(SUM({column}), 0) FROM {table}")  # noqa: S608 - of LEDGER
        return int(cursor.fetchone()[0])
