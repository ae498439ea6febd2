"""Migrations that do something else on PostgreSQL than on SQLite, with the rows of an older house."""

from __future__ import annotations

import datetime as dt
import json
import signal
import subprocess
import uuid
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tables.protocol import change_body
from tests.helpers.servers.fork_server import own_environment, with_packages
from tests.multiprocess.postgres import postgresql_server

CHANGES = 10_050
"""More than two slices of the migration."""
IDS = [uuid.UUID(int=number) for number in range(1, CHANGES + 1)]
FILLERS: dict[str, Any] = {
    "bigint": 0, "integer": 0, "smallint": 0, "boolean": False, "jsonb": "{}",
    "character varying": "", "text": "", "timestamp with time zone": dt.datetime.now(dt.UTC),
}  # fmt: skip


def insert(database: psycopg.Connection[Any], table: str, **values: Any) -> None:
    """Insert a row, with something in every other column that may not be null."""
    columns = database.execute(
        "SELECT column_name, data_type FROM information_schema.columns"
        " WHERE table_name = %s AND is_nullable = 'NO' AND is_identity = 'NO'",
        [table],
    )
    row = {name: FILLERS[kind] for name, kind in columns if name not in values} | values
    marks = ", ".join(["%s"] * len(row))
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", [*row.values()])


def texts(number: int) -> tuple[str, str]:
    """The command and the events of a change as version 0016 stored them."""
    command = {"t": "hit", "id": str(IDS[number]), "turn": number}
    events = [{"type": "card_dealt", "seat": 1, "hand": 1, "card": "7c"}] * (number % 3)
    return json.dumps(command, separators=(",", ":")), json.dumps(events)


def fill(database: psycopg.Connection[Any]) -> None:
    insert(database, "accounts_user", id=7, username="ann", folded="ann")
    insert(database, "accounts_account", id=101, kind="rack")
    insert(database, "accounts_account", id=102, kind="pot")
    insert(database, "tables_table", id=5, rack_id=101, pot_id=102, code="x", seq=CHANGES)
    rows = [
        (number + 1, 5, number + 1, FILLERS["timestamp with time zone"], 7, IDS[number], *texts(number))
        for number in range(CHANGES)
    ]  # fmt: skip
    with database.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO tables_change (id, table_id, seq, at, user_id, command_id, command, events)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            rows,
        )


@pytest.mark.long(seconds=15)
def test_the_changes_of_an_older_house_come_along_though_it_is_killed_once(tmp_path: Path) -> None:
    with postgresql_server() as server:
        url = server.create("older")
        environment = own_environment() | {"BLACKJACK_DATA": str(tmp_path), "DATABASE_URL": url}

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return with_packages().run(arguments, environment, timeout=120)

        for app in (["accounts"], ["tables", "0016"]):
            result = run("manage.py", "migrate", *app, "--verbosity", "0")
            assert result.returncode == 0, result.stderr
        with psycopg.connect(url) as database:
            fill(database)
        died = run("-m", "tests.upgrades.migrate_and_die", "tables.0017_change_bodies")
        assert died.returncode == -signal.SIGKILL, died.stderr
        result = run("manage.py", "migrate", "--verbosity", "0")
        assert result.returncode == 0, result.stderr
        with psycopg.connect(url) as database:
            verify(database)


def verify(database: psycopg.Connection[Any]) -> None:
    rows = database.execute(
        "SELECT seq, command_id, body FROM tables_change ORDER BY id"
    ).fetchall()
    assert len(rows) == CHANGES
    for number, (seq, command_id, body) in enumerate(rows):
        command, events = texts(number)
        assert (seq, command_id) == (number + 1, IDS[number])
        assert change_body.decode(body, command_id) == (command, json.loads(events))
    indexes = database.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'tables_change'")
    names = {str(name) for (name,) in indexes}
    assert {name for name in names if not name.startswith("tables_change_round_id_")} == {
        "tables_change_pkey", "a_table_counts_its_changes", "commands_happen_once",
    }  # fmt: skip
    triggers = database.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
    assert ("tables_change_id_of_chat",) in triggers.fetchall()
    keys = database.execute(
        "SELECT count(*) FROM pg_constraint WHERE conrelid = 'tables_change'::regclass"
        " AND contype = 'f'"
    )
    assert keys.fetchone() == (3,)
    ((next_id,),) = database.execute(
        "SELECT nextval(pg_get_serial_sequence('tables_change', 'id'))"
    )
    assert next_id == CHANGES + 1
    ((options,),) = database.execute(
        "SELECT reloptions FROM pg_class WHERE relname = 'tables_table'"
    )
    assert options == ["fillfactor=50"]
