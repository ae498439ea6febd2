"""``manage.py prepare``: waiting for a database, and migrating a large one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from tables.lib.database.file import verify_writable
from tests.helpers.servers.fork_server import own_environment
from tests.helpers.servers.process import ROOT, Server, own_port
from tests.multiprocess.postgres import postgresql

HURRY = """
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.models.signals import pre_migrate

def show(**_):
    with connection.cursor() as cursor:
        for name in ("statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"):
            cursor.execute(f"SHOW {name}")
            print(*cursor.fetchone())

show()
pre_migrate.connect(show, sender=apps.get_app_config("tables"))
call_command("migrate", verbosity=0)
show()
"""


def test_migrating_has_the_time_that_it_takes_and_players_do_not(tmp_path: Path) -> None:
    with postgresql() as url:
        result = Server(tmp_path, DATABASE_URL=url).manage("shell", "-v", "0", "-c", HURRY)
    assert result.returncode == 0, result.stderr
    hurried = ["5s", "10s", "3s"]
    assert result.stdout.split() == [*hurried, "0", "0", "3s", *hurried]


def preparing(data: Path, database: Path, *arguments: str) -> subprocess.Popen[str]:
    """Prepare a house whose database is a file."""
    own = {"BLACKJACK_DATA": str(data), "DATABASE_URL": f"sqlite:///{database}"}
    return subprocess.Popen(
        [sys.executable, "manage.py", "prepare", *arguments],
        cwd=ROOT, env=own_environment() | own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_two_processes_prepare_one_house_one_after_the_other(tmp_path: Path) -> None:
    """As two containers that are started together."""
    first, second = (preparing(tmp_path, tmp_path / "db.sqlite3") for _ in range(2))
    for process in (first, second):
        _output, errors = process.communicate(timeout=100)
        assert (process.returncode, errors) == (0, "")


@pytest.mark.long
def test_two_processes_prepare_a_house_on_postgresql_one_after_the_other(tmp_path: Path) -> None:
    with postgresql() as url:
        processes = [
            subprocess.Popen(
                [sys.executable, "manage.py", "prepare"],
                cwd=ROOT, env=own_environment() | {"BLACKJACK_DATA": str(data), "DATABASE_URL": url},
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for data in (tmp_path / "one", tmp_path / "two")
        ]  # fmt: skip
        for process in processes:
            _output, errors = process.communicate(timeout=100)
            assert (process.returncode, errors) == (0, "")


@pytest.mark.long
def test_a_database_that_cannot_be_reached_yet_is_waited_for(
    tmp_path: Path, prepared: Path
) -> None:
    shutil.copytree(prepared / "static", tmp_path / "static")  # compressed already
    database = tmp_path / "later" / "db.sqlite3"
    with preparing(tmp_path, database, "--wait", "60") as waiting:
        assert waiting.stderr is not None
        line = waiting.stderr.readline()
        database.parent.mkdir()
        waiting.communicate(timeout=60)
    assert line == "The database cannot be reached yet: unable to open database file\n"
    assert waiting.returncode == 0
    assert database.stat().st_size > 0


def test_who_does_not_ask_for_patience_is_told_at_once(tmp_path: Path) -> None:
    with preparing(tmp_path, tmp_path / "never" / "db.sqlite3") as failing:
        _, errors = failing.communicate(timeout=60)
    assert failing.returncode != 0
    assert "unable to open database file" in errors


@pytest.mark.parametrize("command", [("prepare",), ("serve",), ("serve", "--server", "uvicorn")])
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("another file", "file is not a database. Correct DATABASE_URL, or restore a backup."),
        ("half a file", "database disk image is malformed. Restore a backup."),
    ],
)
def test_a_file_that_is_no_database_to_write_ends_every_start_with_a_sentence(
    tmp_path: Path, prepared: Path, fault: str, sentence: str, command: tuple[str, ...]
) -> None:
    database = tmp_path / "db.sqlite3"
    shutil.copy(prepared / "db.sqlite3", database)
    own = {"DATABASE_URL": f"sqlite:///{database}", "PORT": str(own_port())}
    own["BLACKJACK_DATA"] = str(tmp_path)
    if fault == "another file":
        database.write_bytes(os.urandom(200_000))
    else:
        os.truncate(database, 40_000)
    result = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT, env=os.environ | own, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    assert result.stderr.startswith(f"The database cannot be used: {sentence}")
    assert result.stderr.count("\n") == 1


def prepare_file(database: Path) -> subprocess.CompletedProcess[str]:
    with preparing(database.parent, database) as process:
        output, errors = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


@pytest.mark.long
def test_a_house_whose_file_is_lost_or_empty_does_not_become_a_new_one(
    tmp_path: Path, prepared: Path
) -> None:
    """An operator would see a site without players, and the next backup would have nobody."""
    shutil.copytree(prepared / "static", tmp_path / "static")
    database = tmp_path / "db.sqlite3"
    mark = tmp_path / "db.sqlite3.told-8000"
    mark.touch()
    refused = prepare_file(database)
    again = prepare_file(database)  # the first one made an empty file
    mark.unlink()
    assert (refused.returncode, again.returncode) == (1, 1)
    assert f"{database} is empty, but there was a site with rounds." in refused.stderr
    assert f"for a new site, remove {mark} first" in again.stderr
    assert prepare_file(database).returncode == 0
    mark.touch()
    assert prepare_file(database).returncode == 0


def test_the_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    database = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(database)) as other:
        other.execute("CREATE TABLE photograph (id integer)")
    refused = prepare_file(database)
    assert refused.returncode == 1
    assert (
        f"{database} is the database of another program, with the table photograph"
        in refused.stderr
    )
    with closing(sqlite3.connect(database)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("photograph",)]


@pytest.mark.django_db
def test_a_file_that_may_only_be_read_is_found_by_writing() -> None:
    """Root, who runs the tests on some machines, may write every file."""
    verify_writable()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = ON")
        try:
            with pytest.raises(OperationalError, match="attempt to write a readonly database"):
                verify_writable()
        finally:
            cursor.execute("PRAGMA query_only = OFF")
