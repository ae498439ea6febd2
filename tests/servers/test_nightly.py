"""``manage.py nightly``, which the service of that name in docker-compose.yml runs."""

from __future__ import annotations

import datetime as dt
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.utils import timezone

from tables.management.commands import nightly as command
from tables.management.commands.nightly import DAY, FAILURE, compute_next
from tests.helpers.servers.process import Server
from tests.test_docs import ROOT

SERVICE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["nightly"]
SOON = 60.0
"""Seconds, on a busy machine."""


def wait_until(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + SOON
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


@contextmanager
def nightly(server: Server, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The command, which is asked to stop in the end."""
    with (server.data / "nightly.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "nightly", str(folder), "--keep", "2"],
            cwd=ROOT, env=server.environment, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
    finally:
        process.kill()
        process.wait()


def read_log(server: Server) -> str:
    return (server.data / "nightly.log").read_text()


def is_healthy(folder: Path) -> bool:
    """What the health check of the container says."""
    test = SERVICE["healthcheck"]["test"].replace("/data/backups", str(folder))
    assert str(folder) in test
    return subprocess.run(["/bin/sh", "-c", test], check=False).returncode == 0


@pytest.mark.long(seconds=10)
def test_a_night_without_a_backup_is_made_up_for_and_a_failed_one_is_seen(
    server: Server, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    with nightly(server, folder):
        wait_until(lambda: "everything adds up" in read_log(server))
    (backup,) = folder.glob("blackjack-*.tar.gz")
    assert is_healthy(folder)
    # Two days later, and the books have been changed by hand.
    two_days_ago = time.time() - 2 * DAY.total_seconds()
    os.utime(backup, (two_days_ago, two_days_ago))
    with closing(sqlite3.connect(server.data / "db.sqlite3")) as rows, rows:
        rows.execute("UPDATE accounts_account SET balance = balance + 1 WHERE id = 1")
    with nightly(server, folder):
        wait_until(lambda: (folder / FAILURE).exists())
    assert not is_healthy(folder)
    assert len([*folder.glob("blackjack-*.tar.gz")]) == 2, "there is a backup all the same"
    assert "nightly_failed" in read_log(server)
    with closing(sqlite3.connect(server.data / "db.sqlite3")) as rows, rows:
        rows.execute("UPDATE accounts_account SET balance = balance - 1 WHERE id = 1")
    for path in folder.glob("blackjack-*.tar.gz"):
        os.utime(path, (two_days_ago, two_days_ago))
    with nightly(server, folder):
        wait_until(lambda: not (folder / FAILURE).exists())
    assert is_healthy(folder)
    assert len([*folder.glob("blackjack-*.tar.gz")]) == 2, "two are kept"


def test_it_waits_for_the_night_if_there_is_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []

    def wait_until(due: dt.datetime) -> None:
        waited.append(due)
        raise SystemExit

    monkeypatch.setattr(command, "_wait_until", wait_until)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    moment = dt.datetime(2026, 11, 25, 12, tzinfo=dt.UTC)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    backup = tmp_path / "blackjack-2026-11-25T031500Z.tar.gz"
    for days, due in ((0.9, moment.replace(hour=4, minute=30) + DAY), (1.1, moment)):
        backup.touch()
        mtime = (moment - days * DAY).timestamp()
        os.utime(backup, (mtime, mtime))
        with pytest.raises(SystemExit):
            call_command("nightly", str(tmp_path), "--at", "04:30")
        assert waited.pop() == due


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-11-25 03:14:59", "2026-11-25 03:15:00"),
        ("2026-11-25 03:15:00", "2026-11-26 03:15:00"),
        ("2026-12-31 23:00:00", "2027-01-01 03:15:00"),
    ],
)
def test_a_night_begins_at_the_same_time_of_day(now: str, due: str) -> None:
    moments = [dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC) for text in (now, due)]
    assert compute_next(moments[0], dt.time(3, 15)) == moments[1]


@pytest.mark.parametrize("time_of_day", ["25:00", "3", "noon", ""])
def test_a_time_that_is_none_is_refused(server: Server, time_of_day: str) -> None:
    result = server.manage("nightly", "backups", "--at", time_of_day)
    assert result.returncode != 0
    assert f"{time_of_day!r} is not a time such as 03:15" in result.stderr


def test_a_folder_that_cannot_be_written_ends_no_night(server: Server, tmp_path: Path) -> None:
    """A file has its place."""
    folder = tmp_path / "backups"
    folder.touch()
    with nightly(server, folder) as process:
        wait_until(lambda: "nightly_report_failed" in read_log(server))
        assert process.poll() is None
    assert "nightly_failed" in read_log(server)
    assert "Traceback" not in read_log(server)
