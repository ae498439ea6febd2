"""A new database, which is created at once, is like one that went through all migrations."""

from __future__ import annotations

import re
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.helpers.servers.fork_server import own_environment, with_packages
from tests.multiprocess.postgres import postgresql_server

NAMES = ("once", "migrated")

DIES_MEANWHILE = """
import os, signal
from django.db.migrations.recorder import MigrationRecorder
import manage
record = MigrationRecorder.record_applied
def record_or_die(self, app, name):
    record(self, app, name)
    if app == "tables" and name == "0003_company":
        os.kill(os.getpid(), signal.SIGKILL)
MigrationRecorder.record_applied = record_or_die
import sys
sys.argv = ["manage.py", "migrate"]
manage.main()
"""
BETWEEN_COLUMNS = re.compile(r", (?![^(]*\))")
CREATE_TABLE = re.compile(r"CREATE TABLE \S+ \((.*)\) ?")
OWN_NAME = re.compile(r"INDEX \w+_(key|uniq) ON")
OF_EACH_SITE = {"epoch", "alert_webhook_secret"}

SCHEMA_OF_SQLITE = ("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'",)
SCHEMA_OF_POSTGRESQL = (
    "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable,"
    " column_default, is_identity FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT conrelid::regclass::text, pg_get_constraintdef(pg_constraint.oid) FROM pg_constraint"
    " JOIN pg_class ON pg_class.oid = conrelid WHERE relnamespace = 'public'::regnamespace",
    "SELECT conname FROM pg_constraint WHERE contype = 'c' AND conname NOT LIKE '%_check'",
    "SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT relname, reloptions::text FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL",
    "SELECT sequencename FROM pg_sequences",
    "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
)
ROWS = (
    "SELECT app, name FROM django_migrations",
    "SELECT kind, balance, seq, user_id FROM accounts_account",
    "SELECT * FROM accounts_housesettings",
    "SELECT auth_group.name, app_label, model, codename FROM auth_group"
    " JOIN auth_group_permissions ON auth_group.id = group_id"
    " JOIN auth_permission ON auth_permission.id = permission_id"
    " JOIN django_content_type ON django_content_type.id = content_type_id",
    # Rights to a model that was deleted stay in a database that had it.
    "SELECT app_label, model, codename FROM auth_permission"
    " JOIN django_content_type ON django_content_type.id = content_type_id WHERE model <> 'edge'",
)


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """The environments of two sites whose databases are empty, and how to describe what is in them."""
    sites = {name: own_environment() | {"BLACKJACK_DATA": str(tmp_path / name)} for name in NAMES}
    if request.param == "sqlite":
        yield {"sites": sites, "describe": describe_sqlite}
        return
    with postgresql_server() as server:
        for name, environment in sites.items():
            environment["DATABASE_URL"] = server.create(name)
        yield {"sites": sites, "describe": describe_postgresql}


@pytest.mark.long(seconds=10)
def test_case_35_a_new_database_is_like_a_migrated_one_and_both_survive_a_kill(
    databases: dict[str, Any],
) -> None:
    once, migrated = databases["sites"].values()
    die(once, "-c", DIES_MEANWHILE)
    migrate(once)
    migrate(migrated, "contenttypes")  # No longer new: it goes through all others.
    die(migrated, "-m", "tests.upgrades.migrate_and_die", "tables.0006_operators")
    migrate(migrated)
    actual, expected = (databases["describe"](site) for site in (once, migrated))
    for query, rows in expected.items():
        assert rows, query
        assert actual[query] == rows, query


def migrate(environment: dict[str, str], *arguments: str) -> None:
    command = ("manage.py", "migrate", *arguments, "--verbosity", "0")
    result = with_packages().run(command, environment, timeout=300)
    assert result.returncode == 0, result.stderr


def die(environment: dict[str, str], *command: str) -> None:
    died = with_packages().run(command, environment, timeout=300)
    assert died.returncode == -signal.SIGKILL, died.stderr


def describe_sqlite(environment: dict[str, str]) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(f"{environment['BLACKJACK_DATA']}/db.sqlite3")) as database:
        return describe(database.execute, SCHEMA_OF_SQLITE)


def describe_postgresql(environment: dict[str, str]) -> dict[str, list[Any]]:
    with psycopg.connect(environment["DATABASE_URL"]) as database:
        return describe(database.execute, SCHEMA_OF_POSTGRESQL)


def describe(execute: Callable[[str], Any], schema: tuple[str, ...]) -> dict[str, list[Any]]:
    """The rows of each query, without their order, and without the order of columns."""
    rows_by_query = {}
    for query in (*schema, *ROWS):
        cursor = execute(query)
        names = [column[0] for column in cursor.description]
        rows = (zip(names, row, strict=True) for row in cursor.fetchall())
        rows_by_query[query] = sorted(
            sorted((name, in_order(value)) for name, value in row if name not in OF_EACH_SITE)
            for row in rows
        )
    return rows_by_query


def in_order(value: object) -> str:
    """A text, with the columns of a ``CREATE TABLE`` in order, and without PostgreSQL's own name of
    an index, which differs between a column that was unique from its first day and one that became it.
    """
    text = OWN_NAME.sub("INDEX ON", " ".join(str(value).split()))
    table = CREATE_TABLE.fullmatch(text)
    return ", ".join(sorted(BETWEEN_COLUMNS.split(table[1]))) if table else text
