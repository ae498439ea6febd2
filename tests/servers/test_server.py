"""The real process: started, stopped, killed in mid-hand, and started again."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sqlite3
import time
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.helpers.file_limits import MOST, as_in_a_shell, open_at_most
from tests.helpers.servers.process import Server, serving
from tests.servers.conftest import CASINO, House

NO_CLOSE_FRAME = 1006


async def close_code(socket: ClientConnection) -> int:
    """Read a socket to its end, and say under which code it was closed."""
    try:
        while True:
            await asyncio.wait_for(socket.recv(), 5)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else NO_CLOSE_FRAME


def ask(server: Server, query: str) -> list[tuple[object, ...]]:
    """What is in the server's database."""
    with (
        closing(sqlite3.connect(f"file:{server.data}/db.sqlite3?mode=ro", uri=True)) as database,
        database,
    ):
        return database.execute(query).fetchall()


async def test_a_server_that_is_killed_in_mid_hand_goes_on_with_the_same_cards(
    house: House, server: Server
) -> None:
    server.stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    ann = await house.seated("ann", 1)
    ben = await house.seated("ben", 2)
    await ann.decide("bet", stake=1000)
    await ben.decide("bet", stake=2000)
    await ann.until(ben.seq)
    await ann.decide("split")
    before = ann.table
    money = ask(server, "SELECT id, balance FROM accounts_account ORDER BY id")
    state = ask(server, f"SELECT state FROM tables_table WHERE id = {CASINO}")
    server.stop(signal.SIGKILL)
    assert await close_code(ann.socket) == NO_CLOSE_FRAME
    time.sleep(0.2)
    server.start()
    assert ask(server, "SELECT id, balance FROM accounts_account ORDER BY id") == money
    assert ask(server, f"SELECT state FROM tables_table WHERE id = {CASINO}") == state
    await ann.open(CASINO)
    await ben.open(CASINO)
    unchanged = ("phase", "turn", "round", "seats", "dealer", "asked")
    assert {key: ann.table[key] for key in unchanged} == {key: before[key] for key in unchanged}
    assert ann.balance == 48000
    for player, what in ((ann, "double"), (ann, "stand"), (ben, "stand")):
        await player.until(max(ann.seq, ben.seq))
        await player.decide(what)
    await ann.until(ben.seq)
    assert [hand["outcome"] for seat in ben.table["seats"] for hand in seat.get("hands", [])] == [
        "win"
    ] * 3
    assert (await ann.frame_of("wallet"))["balance"] == 53000
    audit = server.manage("audit")
    assert audit.returncode == 0, audit.stderr


async def test_clocks_are_pushed_out_when_the_server_comes_back(
    house: House, server: Server
) -> None:
    server.stack("8s 6h 8d Kc 2c 3d 9s Th")
    ann = await house.seated("ann", 1)
    await ann.decide("bet", stake=1000)
    server.stop(signal.SIGKILL)
    # As if it had been away for long: the hand was to stand an hour ago.
    with closing(sqlite3.connect(server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_table SET deadline_at = datetime('now', '-1 hour')")
    server.start()
    snapshot = await ann.open(CASINO)
    if snapshot["table"]["deadline"] < snapshot["now"]:
        snapshot = await ann.frame_of("changed")
        assert snapshot["events"] == [{"type": "clock_extended"}]
    # It was given 20 seconds, and has had those since: what counts is that there is time to decide.
    assert snapshot["table"]["deadline"] - snapshot["now"] > 5_000
    assert snapshot["table"]["asked"]["seat"] == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_stop_says_good_bye_and_leaves_no_traceback(
    house: House, server: Server, number: signal.Signals
) -> None:
    ann = await house.seated("ann", 1)
    address = f"ws://localhost:{server.port}/ws/tables/{CASINO}/"
    watchers = [await connect(address, origin=server.url) for _ in range(5)]
    status = await asyncio.to_thread(server.stop, number)
    for socket in (ann.socket, *watchers):
        assert await close_code(socket) == 4012
    assert status == 0
    log = server.log.read_text()
    assert "Closed." in log
    assert "Traceback" not in log
    assert "ERROR" not in log.upper().replace("ERROR_", "")


async def test_a_stop_says_good_bye_to_who_has_only_just_come(house: House, server: Server) -> None:
    ann = await house.seated("ann", 1)
    lock = sqlite3.connect(server.data / "db.sqlite3", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    try:
        # While this bet waits for the database, whether the newcomer may look waits behind it.
        betting = asyncio.create_task(ann.send(t="bet", seat=1, stake=1000))
        await asyncio.sleep(0.5)
        newcomer = await connect(
            f"ws://localhost:{server.port}/ws/tables/{CASINO}/",
            origin=server.url,
        )
        stopping = asyncio.create_task(asyncio.to_thread(server.stop, signal.SIGTERM))
        assert await close_code(newcomer) == 4012
    finally:
        lock.execute("ROLLBACK")
        lock.close()
    betting.cancel()
    assert await stopping == 0


async def test_a_second_start_finds_everything_as_it_was(house: House, server: Server) -> None:
    ann = await house.seated("ann", 1)
    server.stop()
    assert server.manage("prepare").returncode == 0
    server.start()
    snapshot = await ann.open(CASINO)
    assert snapshot["table"]["seats"][0]["player"] == "ann"
    assert ask(server, "SELECT count(*) FROM tables_table") == [(6,)]


def test_a_taken_port_is_a_clear_message(server: Server) -> None:
    second = server.manage("serve")
    assert second.returncode == 1
    assert f"port {server.port}" in second.stderr
    assert f"make run PORT={server.port + 1}" in second.stderr
    assert "Traceback" not in second.stderr


def test_files_are_hashed_compressed_and_kept_for_ever(server: Server) -> None:
    page = urllib.request.urlopen(server.url).read().decode()
    path = page.split('<link rel="stylesheet" href="')[1].split('"')[0]
    request = urllib.request.Request(server.url + path, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as answer:
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.headers["Content-Encoding"] == "gzip"


@pytest.mark.parametrize("program", ["daphne", "uvicorn"])
def test_a_static_file_leaves_no_warning_in_the_log(
    program: str, tmp_path: Path, prepared: Path
) -> None:
    with serving(tmp_path, prepared, program=program) as running:
        page = urllib.request.urlopen(running.url).read().decode()
        match = re.search(r'href="(/static/css/[^"]+)"', page)
        assert match
        assert urllib.request.urlopen(running.url + match[1]).read()
        assert "Warning" not in running.log.read_text()


def test_the_secret_key_is_readable_for_its_owner_alone(server: Server) -> None:
    assert (server.data / "secret_key").stat().st_mode & 0o777 == 0o600


async def test_no_card_is_sent_before_it_is_dealt(house: House, server: Server) -> None:
    shoe = "8s 6h 8d Kc 2c 3d 9s Th Ah"
    server.stack(shoe)
    ann = await house.seated("ann", 1)
    watcher = await house.watching("watcher")
    frames: list[str] = []
    await ann.decide("bet", stake=1000)
    while (frame := await watcher.frame())["t"] != "changed" or frame["table"]["asked"] is None:
        frames.append(json.dumps(frame))
    frames.append(json.dumps(frame))
    for card in ["Kc", "2c", "3d", "9s", "Th", "Ah"]:
        assert f'"{card}"' not in " ".join(frames)
    assert not re.search(r"\bKc\b", server.log.read_text())


def test_a_server_may_have_more_sockets_open_than_a_shell_gives(server: Server) -> None:
    server.stop()
    with as_in_a_shell():
        server.start()
    assert server.process is not None
    assert open_at_most(server.process.pid) == MOST
