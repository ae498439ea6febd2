"""What is written gets from SQLite's log into the database file without a commit waiting for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.utils import OperationalError

from accounts.models import HouseSettings
from tables.lib.database import wal_checkpoints as module
from tables.lib.database.wal_checkpoints import Checkpoints
from tables.realtime.writers.writer import Writer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="others have no such log"),
]


@pytest.fixture
def checkpoints(monkeypatch: pytest.MonkeyPatch) -> Iterator[Checkpoints]:
    monkeypatch.setattr(module, "SECONDS", 0.05)
    instance = Checkpoints()
    instance.start()
    yield instance
    instance.stop()


def file_changed_at() -> int:
    return Path(str(connection.settings_dict["NAME"])).stat().st_mtime_ns


def is_so(what: Callable[[], bool], seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while not what() and time.monotonic() < until:
        time.sleep(0.01)
    return what()


def write(says: str) -> None:
    HouseSettings.objects.update(announcement=says)


def test_what_is_written_is_in_the_file_soon_and_by_no_commit(checkpoints: Checkpoints) -> None:
    write("Before.")
    before = file_changed_at()
    checkpoints.request()
    assert is_so(lambda: file_changed_at() != before)
    for number in range(300):
        write(f"News number {number}.")
    before = file_changed_at()
    time.sleep(0.3)
    assert file_changed_at() == before, "nobody said that there was something"
    checkpoints.request()
    assert is_so(lambda: file_changed_at() != before)


def test_the_writer_says_when_something_was_written(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tables.realtime.writers.writer.checkpoints", checkpoints)
    writer, before = Writer(), file_changed_at()
    writer.submit(lambda: write("From the writer.")).result(10)
    assert is_so(lambda: file_changed_at() != before)
    writer.stop()


def test_nothing_is_done_while_nobody_writes(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    real = CursorWrapper.execute

    def execute(cursor: CursorWrapper, sql: str, params: object = None) -> object:
        statements.append(sql)
        return real(cursor, sql, params)

    monkeypatch.setattr(CursorWrapper, "execute", execute)
    time.sleep(0.4)
    assert statements == []
    checkpoints.request()
    assert is_so(lambda: statements == ["PRAGMA wal_checkpoint(PASSIVE)"])


def test_a_failure_is_noted_and_the_next_time_it_is_done(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [OperationalError("disk I/O error")]
    real = CursorWrapper.execute

    def execute(cursor: CursorWrapper, sql: str, params: object = None) -> object:
        if "checkpoint" in sql and failures:
            raise failures.pop()
        return real(cursor, sql, params)

    monkeypatch.setattr(CursorWrapper, "execute", execute)
    write("Once.")
    checkpoints.request()
    assert is_so(lambda: not failures)
    before = file_changed_at()
    checkpoints.request()
    assert is_so(lambda: file_changed_at() != before)


def test_it_ends_also_if_it_is_stopped_just_before_a_checkpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Written(threading.Event):
        times = 0

        def set(self) -> None:
            super().set()
            self.times += 1

        def clear(self) -> None:
            ending.start()
            assert is_so(lambda: self.times == 2), "stop() has not come so far"
            super().clear()

    monkeypatch.setattr(module, "SECONDS", 0.05)
    instance = Checkpoints()
    instance._is_written = Written()
    ending = threading.Thread(target=instance.stop, daemon=True)
    instance.start()
    instance.request()
    assert is_so(lambda: ending.ident is not None and not ending.is_alive(), 5)


def test_it_ends_at_once_and_can_begin_again(checkpoints: Checkpoints) -> None:
    def running() -> int:
        return sum(thread.name == "checkpoints" for thread in threading.enumerate())

    assert running() == 1
    checkpoints.stop()
    assert running() == 0
    checkpoints.stop()
    checkpoints.start()
    assert running() == 1
