"""A house that was set back deals from no shoe whose secret was told."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer
from tests.servers.conftest import CASINO, House


def ask(data: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(data / "db.sqlite3")) as rows, rows:
        return rows.execute(query).fetchall()


def copy_of(data: Path, folder: Path) -> Path:
    """The data folder, as somebody copies it while nothing runs."""
    return Path(shutil.copytree(data, folder / "copied"))


def by_command(server: Server, copied: Path) -> None:
    result = server.manage("restore", str(next(copied.parent.glob("blackjack-*"))), "--yes")
    assert result.returncode == 0, result.stderr
    assert "A new epoch has begun: 1 tables" in result.stdout


def whole_folder(server: Server, copied: Path) -> None:
    shutil.rmtree(server.data)
    shutil.copytree(copied, server.data)


def whole_folder_over_itself(server: Server, copied: Path) -> None:
    for path in server.data.glob("db.sqlite3-*"):
        path.unlink()
    shutil.copytree(copied, server.data, dirs_exist_ok=True)


def database_alone(server: Server, copied: Path) -> None:
    for path in server.data.glob("db.sqlite3-*"):
        path.unlink()
    shutil.copy2(copied / "db.sqlite3", server.data / "db.sqlite3")


def database_moved_in(server: Server, copied: Path) -> None:
    for path in server.data.glob("db.sqlite3-*"):
        path.unlink()
    (copied / "db.sqlite3").rename(server.data / "db.sqlite3")


def database_without_a_mark(server: Server, copied: Path) -> None:
    for path in server.data.glob("db.sqlite3*"):
        path.unlink()
    shutil.copy2(copied / "db.sqlite3", server.data / "db.sqlite3")


def content_and_mark(server: Server, copied: Path) -> None:
    """Into the file that is there, by SQLite itself; with the last change that was told then."""
    with (
        closing(sqlite3.connect(copied / "db.sqlite3")) as older,
        closing(sqlite3.connect(server.data / "db.sqlite3")) as database,
    ):
        older.backup(database)
    for mark in copied.glob("db.sqlite3.told-*"):
        shutil.copy2(mark, server.data)


WAYS = [
    content_and_mark,
    by_command,
    whole_folder,
    whole_folder_over_itself,
    database_alone,
    database_moved_in,
    database_without_a_mark,
]


@pytest.mark.long
@pytest.mark.parametrize("put_back", WAYS, ids=lambda way: way.__name__)
async def test_case_41_a_secret_that_was_told_is_of_no_use_after_a_restore(
    put_back: Callable[[Server, Path], None], house: House, server: Server, tmp_path: Path
) -> None:
    ann = await house.seated("ann", 1)
    sealed = ann.table["shoe"]
    epoch = (await ann.frame_of("heartbeat"))["epoch"]
    await ann.close()
    if put_back is by_command:
        result = await asyncio.to_thread(server.manage, "backup", str(tmp_path))
        assert result.returncode == 0, result.stderr
    await asyncio.to_thread(server.stop)
    copied = await asyncio.to_thread(copy_of, server.data, tmp_path)
    await asyncio.to_thread(server.start)
    await ann.open(CASINO)
    assert ann.table["shoe"] == sealed  # an ordinary restart
    await play_a_round(ann)
    ((secret,),) = ask(server.data, f"SELECT secret FROM tables_shoe WHERE id = {sealed['id']}")
    assert hashlib.sha256(bytes.fromhex(secret)).hexdigest() == sealed["commitment"]
    await ann.close()
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(put_back, server, copied)
    await asyncio.to_thread(server.start)
    snapshot = await ann.open(CASINO)
    assert snapshot["epoch"] != epoch
    assert snapshot["table"]["shoe"]["commitment"] != sealed["commitment"]
    assert "restored from a backup" in snapshot["house"]["announcement"]["text"]
    rows = ask(
        server.data, f"SELECT secret, retired_because FROM tables_shoe WHERE id = {sealed['id']}"
    )
    assert rows == [(secret, "restored")]
    await play_a_round(ann)
    audit = await asyncio.to_thread(server.manage, "audit")
    assert audit.returncode == 0, audit.stderr


@pytest.mark.long
async def test_case_41_a_round_in_play_is_broken_off_and_a_kill_alone_breaks_off_none(
    house: House, server: Server, tmp_path: Path
) -> None:
    server.stack("8s 6h 8d Kc 2c 3d 9s Th 4c 5d", "8s 6h 8d Kc 2c 3d 9s Th 4c 5d")
    ask(server.data, "UPDATE tables_table SET turn_seconds = 300")
    ann = await house.seated("ann", 1)
    before = ann.balance
    await ann.decide("bet", stake=1000)
    epoch = (await ann.frame_of("heartbeat"))["epoch"]
    await asyncio.to_thread(server.stop, signal.SIGKILL)
    copied = await asyncio.to_thread(copy_of, server.data, tmp_path)
    await asyncio.to_thread(server.start)
    snapshot = await ann.open(CASINO)
    assert (snapshot["epoch"], snapshot["table"]["phase"]) == (epoch, "playing")
    await ann.decide("stand")
    await asyncio.to_thread(server.stop, signal.SIGKILL)
    await asyncio.to_thread(whole_folder_over_itself, server, copied)
    await asyncio.to_thread(server.start)
    snapshot = await ann.open(CASINO)
    assert snapshot["epoch"] != epoch
    assert snapshot["table"]["phase"] == "betting"
    assert snapshot["you"]["balance"] == before
    ((round_id, reason),) = ask(server.data, "SELECT round_id, reason FROM tables_void")
    assert "restored from a backup" in reason
    page = await asyncio.to_thread(ann.opener.open, f"{server.url}/rounds/{round_id}/")
    assert "restored from a backup" in page.read().decode()


@pytest.mark.long
async def test_case_41_a_file_that_is_replaced_under_a_running_server_gets_the_next_bets(
    house: House, server: Server, tmp_path: Path
) -> None:
    """Bets run in the event loop, on a connection of its own, which would write to the old file."""
    ann = await house.seated("ann", 1)
    await play_a_round(ann)
    epoch = (await ann.frame_of("heartbeat"))["epoch"]
    other = tmp_path / "other.sqlite3"
    with (
        closing(sqlite3.connect(server.data / "db.sqlite3")) as database,
        closing(sqlite3.connect(other)) as copied,
    ):
        database.backup(copied)
    for path in server.data.glob("db.sqlite3*"):
        if not path.name.startswith("db.sqlite3.told"):
            path.unlink()
    other.rename(server.data / "db.sqlite3")
    while (await ann.frame_of("heartbeat"))["epoch"] == epoch:
        pass
    await ann.close()
    await ann.open(CASINO)
    before = ask(server.data, "SELECT count(*) FROM tables_change WHERE user_id IS NOT NULL")
    await ann.decide("bet", stake=1000)
    after = ask(server.data, "SELECT count(*) FROM tables_change WHERE user_id IS NOT NULL")
    assert after[0][0] == before[0][0] + 1
    audit = await asyncio.to_thread(server.manage, "audit")
    assert audit.returncode == 0, audit.stderr


@pytest.mark.long
async def test_case_57_a_log_that_was_cut_begins_another_epoch(
    house: House, server: Server
) -> None:
    ann = await house.seated("ann", 1)
    epoch = (await ann.frame_of("heartbeat"))["epoch"]
    seq = ann.seq
    await asyncio.sleep(1.0)  # what was written until now is in the file
    await play_a_round(ann)
    await asyncio.to_thread(server.stop, signal.SIGKILL)
    (server.data / "db.sqlite3-wal").write_bytes(b"")
    ((stored_seq,),) = ask(server.data, f"SELECT seq FROM tables_table WHERE id = {CASINO}")
    assert seq <= stored_seq < ann.seq
    await asyncio.to_thread(server.start)
    snapshot = await ann.open(CASINO)
    assert snapshot["epoch"] != epoch


async def play_a_round(player: SocketPlayer) -> None:
    await player.decide("bet", stake=1000)
    while player.table["asked"]:
        await player.decide("stand")
