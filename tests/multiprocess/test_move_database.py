"""A house that moves to PostgreSQL and back: the same rows, the same epoch, the same cards."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import re
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.helpers.servers.fork_server import own_environment, with_packages
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.postgres import PostgresServer, postgresql_server
from tests.servers.conftest import CASINO

SHOE = "8s 6h 8d Kc 2c 3d 9s Th 4c 5d"
OF_THE_DATABASE = {"tables_databaseidentity", "django_migrations"}
"""They describe the database itself."""
Rows = dict[str, list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with postgresql_server() as server:
        yield server


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    """An empty database."""
    return postgres.create(f"moved_{uuid4().hex}")


@pytest.fixture
def data(tmp_path: Path, prepared: Path) -> Path:
    """Data of a house on SQLite."""
    return Path(shutil.copytree(prepared, tmp_path / "data"))


def environment(data: Path, url: str = "") -> dict[str, str]:
    return own_environment() | {"BLACKJACK_DATA": str(data), "DATABASE_URL": url}


def run(data: Path, *words: str, url: str = "") -> subprocess.CompletedProcess[str]:
    return with_packages().run(words, environment(data, url), timeout=180)


def manage(data: Path, *words: str, url: str = "") -> str:
    """What a command says that succeeds."""
    result = run(data, "manage.py", *words, url=url)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def refused(data: Path, *words: str, url: str = "") -> str:
    """The sentence of a command that does not."""
    result = run(data, "manage.py", *words, url=url)
    assert result.returncode in (1, 3), result.stdout  # 3: uvicorn could not start
    assert "Traceback" not in result.stderr
    return result.stderr


# Rows, read without the site's code


def rows_on_sqlite(path: Path, kinds: dict[tuple[str, str], str]) -> Rows:
    with closing(sqlite3.connect(path)) as database:
        rows_by_table = {}
        for table in sorted({table for table, _ in kinds}):
            columns = [column for name, column in kinds if name == table]
            quoted = ", ".join(f'"{column}"' for column in columns)
            rows_by_table[table] = sorted(
                (
                    tuple(
                        plain(value, kinds[table, column])
                        for column, value in zip(columns, row, strict=True)
                    )
                    for row in database.execute(f'SELECT {quoted} FROM "{table}"')
                ),
                key=repr,
            )
        return rows_by_table


def kinds_on_postgresql(url: str) -> dict[tuple[str, str], str]:
    with psycopg.connect(url) as database:
        listed = database.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
            " WHERE table_schema = 'public' ORDER BY 1, 2"
        )
        return {(table, column): kind for table, column, kind in listed}


def rows_on_postgresql(url: str) -> Rows:
    kinds = kinds_on_postgresql(url)
    rows_by_table = {}
    with psycopg.connect(url) as database:
        for table in sorted({table for table, _ in kinds}):
            columns = [column for name, column in kinds if name == table]
            quoted = ", ".join(f'"{column}"' for column in columns)
            rows_by_table[table] = sorted(
                (
                    tuple(
                        plain(value, kinds[table, column])
                        for column, value in zip(columns, row, strict=True)
                    )
                    for row in database.execute(f'SELECT {quoted} FROM "{table}"')
                ),
                key=repr,
            )
    return rows_by_table


def plain(value: Any, kind: str) -> Any:
    """A value of either database in one form."""
    if value is None:
        return None
    if kind == "boolean":
        return bool(value)
    if kind == "timestamp with time zone":
        if isinstance(value, str):
            return dt.datetime.fromisoformat(value)
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    if kind == "date":
        return str(value)
    if kind == "jsonb":
        return json.dumps(json.loads(value) if isinstance(value, str) else value, sort_keys=True)
    if kind == "uuid":
        return UUID(str(value))
    if kind == "numeric":
        return Decimal(str(value))
    return bytes(value) if kind == "bytea" else str(value) if kind == "inet" else value


def verify_same(before: Rows, after: Rows) -> None:
    for table in before.keys() - OF_THE_DATABASE:
        assert before[table] == after[table], table


@pytest.mark.long
def test_every_kind_of_row_is_the_same_on_postgresql_and_back_again(data: Path, url: str) -> None:
    played = run(data, "-m", "tests.multiprocess.every_kind_of_row")
    assert played.returncode == 0, played.stderr
    with closing(sqlite3.connect(data / "db.sqlite3")) as database, database:
        database.execute("DELETE FROM tables_oldcode")
        row = "INSERT INTO tables_oldcode (id, code, table_id, at) VALUES (?, ?, 1, '2026-01-01')"
        database.execute(row, (90, "A"))
        database.execute("DELETE FROM tables_oldcode WHERE id = 90")
        database.execute(row, (3, "B"))
    # Some of its rows are made up, and the audit says so.
    assert "The audit found these errors" in refused(data, "move_database", url)
    output = manage(data, "move_database", url, "--keep-faults")
    assert re.search(r"rows in \d\d tables are the same", output)
    kinds = kinds_on_postgresql(url)
    before, moved = rows_on_sqlite(data / "db.sqlite3", kinds), rows_on_postgresql(url)
    assert len(before) > 50
    assert {table for table, rows in before.items() if not rows} <= OF_THE_DATABASE
    verify_same(before, moved)
    with psycopg.connect(url) as database:
        new = database.execute(
            "INSERT INTO tables_oldcode (code, table_id, at) VALUES ('C', 1, now()) RETURNING id"
        )
        assert new.fetchone() == (91,), "ids of deleted rows are not given again"
        database.rollback()
        with pytest.raises(psycopg.Error, match="append-only"):
            database.execute("DELETE FROM accounts_walletentry")
    back = data / "back.sqlite3"
    manage(data, "move_database", f"sqlite:///{back}", "--keep-faults", url=url)
    verify_same(before, rows_on_sqlite(back, kinds))
    with closing(sqlite3.connect(back)) as database:
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            database.execute("DELETE FROM accounts_walletentry")
        new = database.execute(
            "INSERT INTO tables_oldcode (code, table_id, at) VALUES ('C', 1, '2026-01-01')"
        )
        assert new.lastrowid in (91, 92)


@pytest.mark.long
def test_rounds_of_every_rule_set_go_on_with_the_same_cards(tmp_path: Path, url: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    last = sorted((Path(__file__).parent.parent / "upgrades").glob("*.sql"))[-1]
    with closing(sqlite3.connect(data / "db.sqlite3")) as database, database:
        database.executescript(last.read_text())
    error = refused(data, "move_database", url)
    assert "run manage.py migrate" in error or "The new database" not in error
    manage(data, "migrate")
    output = manage(data, "move_database", "--from", "sqlite", url=url)
    assert "The audit of the new database: everything adds up." in output
    assert "Next: start the servers." in output
    # The cards are compared with those of the file, which is still there.
    result = run(data, "-m", "tests.upgrades.play_on", url=url)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout.splitlines()[-1])
    assert (report["faults_before"], report["faults_after"]) == ([], [])
    assert {table["rules"] for table in report["tables"].values() if table["was_playing"]} == {
        "casino", "classic", "heads-up", "piles", "pot", "vegas",
    }  # fmt: skip
    for table in report["tables"].values():
        assert table["is_finished"], table
        assert table["same_cards"] or not table["was_playing"], table
    assert {page: status for page, status in report["pages"].items() if status != 200} == {}


@pytest.mark.long(seconds=15)
async def test_a_player_goes_on_in_mid_round_there_and_back(data: Path, url: str) -> None:
    place: dict[str, Any] = {"data": data}
    server = Server(data)
    server.stack(SHOE)
    with closing(sqlite3.connect(data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_table SET turn_seconds = 300")
    await asyncio.to_thread(server.start)
    try:
        ann = SocketPlayer(server.url, "ann")
        await asyncio.to_thread(ann.sign_up)
        first = await ann.open(CASINO)
        assert (await ann.send(t="sit", seat=1))["t"] == "done"
        await ann.decide("bet", stake=1000)
        table = ann.table
        assert table["phase"] == "playing"
        running = await asyncio.to_thread(refused, data, "move_database", url)
        assert "A server runs" in running
        await ann.close()
        await asyncio.to_thread(server.stop)
        output = await asyncio.to_thread(manage, data, "move_database", url)
        assert "The epoch is the same" in output
        assert url.split("@")[1].split("?")[0] in output

        for command in ("serve", "prepare"):
            error = await asyncio.to_thread(refused, data, command)
            assert "This site was moved to postgres" in error, command
        again = await asyncio.to_thread(refused, data, "move_database", url)
        assert "was moved to postgres" in again or "--yes" in again

        server = Server(**place, DATABASE_URL=url)
        await asyncio.to_thread(server.start)
        ann.url = server.url
        snapshot = await ann.open(CASINO)
        assert snapshot["epoch"] == first["epoch"]
        for what in ("phase", "round", "seats", "dealer", "asked", "shoe", "turn"):
            assert snapshot["table"][what] == table[what], what
        await ann.decide("stand")
        assert ann.table["phase"] == "betting"
        balance = ann.balance
        await ann.close()
        await asyncio.to_thread(server.stop)

        back = f"sqlite:///{data}/back.sqlite3"
        output = await asyncio.to_thread(lambda: manage(data, "move_database", back, url=url))
        assert "The epoch is the same" in output
        error = await asyncio.to_thread(
            lambda: refused(data, "serve", "--server", "uvicorn", url=url)
        )
        assert "This site was moved to sqlite" in error
        server = Server(**place, DATABASE_URL=back)
        await asyncio.to_thread(server.start)
        ann.url = server.url
        snapshot = await ann.open(CASINO)
        assert (snapshot["epoch"], snapshot["you"]["balance"]) == (first["epoch"], balance)
        await ann.decide("bet", stake=1000)
        await ann.close()
        audit = await asyncio.to_thread(server.manage, "audit")
        assert audit.returncode == 0, audit.stderr
    finally:
        server.end()


@pytest.mark.long
def test_what_was_moved_away_goes_on_as_a_house_of_its_own_with_a_new_epoch(
    data: Path, url: str
) -> None:
    def epoch() -> Any:
        with closing(sqlite3.connect(data / "db.sqlite3")) as database:
            return database.execute("SELECT epoch FROM accounts_housesettings").fetchone()

    before = epoch()
    manage(data, "move_database", url)
    assert epoch() == before
    assert "A new epoch has begun" in manage(data, "begin_epoch")
    assert epoch() != before
    manage(data, "prepare")


@pytest.mark.long
def test_a_copy_that_is_moved_begins_a_new_epoch(data: Path, tmp_path: Path, url: str) -> None:
    server = Server(data)
    server.start()
    server.stop()
    copied = Path(shutil.copytree(data, tmp_path / "copied"))
    output = manage(copied, "move_database", url)
    assert "another_database" in output
    assert "a new epoch has begun" in output


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize("when", ["migrating", "copying", "verified", "end"])
def test_a_move_that_is_killed_is_run_again(when: str, data: Path, url: str) -> None:
    server = Server(data)
    server.start()
    server.stop()
    kinds_before = manage(data, "audit")
    died = run(data, "-m", "tests.multiprocess.move_and_die", when, url)
    assert died.returncode == -signal.SIGKILL, died.stdout + died.stderr
    for command in ("serve", "prepare", "begin_epoch"):
        error = refused(data, command, url=url)
        assert "A move into this database is unfinished" in error, command
    if when == "end":
        assert "This site was moved to postgres" in refused(data, "prepare")
    else:
        assert manage(data, "audit").split(":")[1] == kinds_before.split(":")[1]
        manage(data, "prepare")
    output = manage(data, "move_database", url)
    assert "The epoch is the same" in output
    manage(data, "prepare", url=url)


@pytest.mark.long
def test_a_kill_on_the_way_to_sqlite_leaves_a_file_that_is_not_served(
    data: Path, tmp_path: Path
) -> None:
    target = f"sqlite:///{tmp_path}/other.sqlite3"
    died = run(data, "-m", "tests.multiprocess.move_and_die", "verified", target)
    assert died.returncode == -signal.SIGKILL, died.stdout + died.stderr
    assert "is unfinished" in refused(data, "prepare", url=target)
    manage(data, "move_database", target)
    manage(data, "prepare", url=target)
    assert [path.name for path in tmp_path.glob("other.sqlite3.before*")] == []


@pytest.mark.long
def test_a_wrong_target_is_a_sentence_and_changes_nothing(data: Path, url: str) -> None:
    before = (data / "db.sqlite3").read_bytes()
    assert "Name the new database" in refused(data, "move_database")
    wrong = run(data, "manage.py", "move_database", "mysql://house:not-to-be-shown@there/house")
    assert wrong.returncode == 2
    assert "that is no address of a database" in wrong.stderr
    assert "not-to-be-shown" not in wrong.stderr
    assert "is the old one" in refused(data, "move_database", "sqlite")
    nobody = "postgres://house:not-to-be-shown@127.0.0.1:1/house"
    error = refused(data, "move_database", nobody)
    assert "not-to-be-shown" not in error
    assert len(error.splitlines()) == 1
    manage(data, "migrate", url=url)
    assert "--yes" in refused(data, "move_database", url)
    assert (data / "db.sqlite3").read_bytes() == before
    manage(data, "move_database", url, "--yes")
