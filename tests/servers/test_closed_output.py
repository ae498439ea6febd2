"""Programs whose output nobody reads any more, as with `serve | head` and `>&-`."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.helpers.servers.process import ROOT, Server

SIGPIPE_STATUS = 128 + 13


@pytest.fixture
def house(tmp_path: Path, prepared: Path) -> Server:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return Server(tmp_path)


def run_unread(house: Server, *words: str) -> int:
    """The status of a command whose output is closed; it must say nothing about that."""
    with subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT, env=house.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as running:  # fmt: skip
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    return running.returncode


@pytest.mark.parametrize("program", ["daphne", "uvicorn"])
def test_a_server_ends_though_nobody_reads_its_output(house: Server, program: str) -> None:
    command = [sys.executable, "manage.py", "serve", "--server", program]
    with subprocess.Popen(
        command, cwd=ROOT, env=house.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as serving:
        assert serving.stdout is not None
        try:
            while b"is open at" not in serving.stdout.readline():
                assert serving.poll() is None
            serving.stdout.close()
            serving.terminate()
            assert serving.wait(15) == 0
        finally:
            serving.kill()


def test_a_command_ends_quietly_if_nobody_reads_its_output(house: Server) -> None:
    assert run_unread(house, "audit") == SIGPIPE_STATUS  # 1 would say that the books have errors


def test_a_backup_without_an_output_is_made_and_recorded(house: Server, tmp_path: Path) -> None:
    script = f"exec {sys.executable} manage.py backup {tmp_path}/backups >&-"
    result = subprocess.run(
        ["sh", "-c", script],
        cwd=ROOT, env=house.environment, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    (backup,) = (tmp_path / "backups").glob("*.tar.gz")
    with closing(sqlite3.connect(house.data / "db.sqlite3")) as database:
        assert database.execute("SELECT name FROM tables_backup").fetchall() == [(backup.name,)]


def test_a_restore_goes_to_its_end_though_nobody_reads_its_output(
    house: Server, tmp_path: Path
) -> None:
    """With the new database, but without its epoch, secrets that were told would count again."""
    folder = tmp_path / "backups"
    assert house.manage("backup", str(folder)).returncode == 0
    (backup,) = folder.glob("*.tar.gz")
    assert run_unread(house, "restore", str(backup), "--yes") == SIGPIPE_STATUS
    with closing(sqlite3.connect(house.data / "db.sqlite3")) as database:
        assert database.execute("SELECT count(*) FROM tables_databaseidentity").fetchone() == (1,)


def test_serve_makes_no_database_and_runserver_is_refused(tmp_path: Path) -> None:
    house = Server(tmp_path)
    refused = house.manage("serve")
    assert refused.returncode == 1
    assert f"there is no file {tmp_path}/db.sqlite3" in refused.stderr
    assert not (tmp_path / "db.sqlite3").exists()
    refused = house.manage("runserver")
    assert "Use manage.py serve." in refused.stderr
