"""A server that is told to stop, with a full house."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import sqlite3
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.adversarial.players import until
from tests.helpers.servers.impatient import ARRIVAL_SECONDS, MOST_ARRIVING
from tests.helpers.servers.process import Server, serving
from tests.helpers.socket_player import SocketPlayer

CASINO, CLASSIC = 1, 4
WATCHERS = 100
STOPS = 2
"""So many in a row: what goes wrong at the end of a process does not do so each time."""
ALLOWED_SECONDS = 10
RESTART = 4012


@pytest_asyncio.fixture
async def server(tmp_path: Path, prepared: Path) -> AsyncIterator[Server]:
    with serving(tmp_path, prepared) as running:
        yield running


async def player(server: Server, name: str) -> SocketPlayer:
    new_player = SocketPlayer(server.url, name)
    await asyncio.to_thread(new_player.sign_up)
    return new_player


async def watch(server: Server, table_id: int) -> ClientConnection:
    address = f"ws://localhost:{server.port}/ws/tables/{table_id}/"
    return await connect(address, origin=server.url)


async def end_of(socket: ClientConnection) -> int | None:
    """Read a socket to its end; the code under which it was closed, if it was."""
    try:
        async with asyncio.timeout(20):
            while True:
                await socket.recv()
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


@contextmanager
def deaf(server: Server) -> Iterator[None]:
    """Connections of people who say nothing any more: a page that does not answer a close, browsers
    that keep a line for later, and a request of which the rest never comes.
    """
    lines = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(7)]
    upgrade = (
        f"GET /ws/tables/{CASINO}/ HTTP/1.1\r\nHost: localhost:{server.port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: {server.url}\r\n\r\n"
    )
    lines[0].sendall(upgrade.encode())
    for line in lines[1:4]:
        line.sendall(f"GET /livez HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode())
    for line in lines[4:6]:
        line.sendall(b"POST /accounts/login/ HTTP/1.1\r\nContent-Length: 999\r\n\r\nhalf of it")
    lines[6].sendall(b"GET / HT")
    try:
        yield
    finally:
        for line in lines:
            line.close()


def download(player: SocketPlayer) -> None:
    """A history of some length; what comes of it does not matter when the server stops."""
    with suppress(OSError, urllib.error.URLError):
        player.opener.open(f"{player.url}/history/rounds.json", timeout=20).read()


def lengthen_history(server: Server, rounds: int) -> None:
    """As if what was played had been played many times."""
    with closing(sqlite3.connect(server.data / "db.sqlite3")) as database, database:
        for table in ("tables_round", "tables_result"):
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            whose = {"tables_round": "id", "tables_result": "round_id"}
            new = {table: {column} for table, column in whose.items()}
            new["tables_round"].add("number")  # each has a number of its own at its table
            chosen = ", ".join(
                "NULL" if c == "id" and table != "tables_round"
                else f"{c} + n * 1000" if c in new[table] else c
                for c in columns
            )  # fmt: skip
            database.execute(
                f"WITH RECURSIVE counting(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting"
                f" WHERE n < {rounds}) INSERT INTO {table} ({', '.join(columns)})"
                f" SELECT {chosen} FROM counting, {table} WHERE {whose[table]} < 1000"
            )


class Eager:
    """Plays without a pause, and remembers what was confirmed and what was not."""

    def __init__(self, player: SocketPlayer) -> None:
        self.player = player
        self.confirmed: list[str] = []
        self.open: dict[str, Any] | None = None

    async def play(self) -> None:
        await self.player.open(CLASSIC)
        await self.ask(t="sit", seat=1)
        try:
            while True:
                decision = self.player.table["asked"]
                turn = self.player.table["turn"]
                if decision is None:
                    await self.ask(t="bet", turn=turn, stake=0)
                else:
                    await self.ask(t="stand", turn=turn)
                await asyncio.sleep(0.11)  # ten frames a second are allowed
        except ConnectionClosed:
            pass

    async def ask(self, **fields: Any) -> None:
        self.open = {"id": str(uuid.uuid4()), **fields}
        answer = await self.player.send(**self.open)
        assert answer["t"] in ("done", "err")
        if answer["t"] == "done":
            self.confirmed.append(self.open["id"])
        self.open = None


def stored(server: Server) -> set[str]:
    with closing(sqlite3.connect(server.data / "db.sqlite3")) as database:
        rows = database.execute("SELECT command_id FROM tables_change WHERE command_id NOT NULL")
        return {str(uuid.UUID(command_id)) for (command_id,) in rows}


@pytest.mark.long
async def test_a_full_house_is_sent_home_in_time_and_nothing_confirmed_is_lost(
    server: Server,
) -> None:
    ann = await player(server, "ann")
    eager = Eager(ann)
    for number in range(STOPS):
        watchers = [await watch(server, CASINO) for _ in range(WATCHERS)]
        playing = asyncio.create_task(eager.play())
        async with asyncio.timeout(20):
            while len(eager.confirmed) < 3:
                await asyncio.sleep(0.05)
        if number == 0:
            lengthen_history(server, 3000)
        with deaf(server):
            loading = asyncio.create_task(asyncio.to_thread(download, ann))
            await asyncio.sleep(0.3)
            began = time.monotonic()
            stopping = asyncio.create_task(asyncio.to_thread(server.stop, signal.SIGTERM))
            ends = asyncio.gather(*(end_of(socket) for socket in watchers))
            await asyncio.sleep(0.1)
            if server.process is not None:
                server.process.send_signal(signal.SIGTERM)  # somebody is impatient
            assert await stopping == 0
            assert time.monotonic() - began < ALLOWED_SECONDS
        assert set(await ends) == {RESTART}
        await playing
        await loading
        log = server.log.read_text()
        assert "Traceback" not in log
        assert set(eager.confirmed) <= stored(server)
        server.start()
        await ann.open(CLASSIC)
        if eager.open is not None:  # it is there, or it is not: asked again, that is settled
            again = await ann.send(**eager.open)
            assert again["t"] == "done" or again["code"] == "stale_turn"
            assert list(stored(server)).count(eager.open["id"]) <= 1
        assert (await ann.send(t="leave"))["t"] == "done"
        eager.confirmed.clear()


async def test_a_command_that_is_being_written_is_answered_before_the_good_bye(
    server: Server,
) -> None:
    ann = await player(server, "ann")
    await ann.open(CASINO)
    assert server.process is not None
    pid = server.process.pid
    with closing(sqlite3.connect(server.data / "db.sqlite3", isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        command = {"t": "sit", "seat": 1, "id": str(uuid.uuid4())}
        await ann.socket.send(json.dumps(command))
        # The clock looks at the database every two seconds: it waits when the writer is at this.
        await until(lambda: waiting(server) > 0)
        stopping = asyncio.create_task(asyncio.to_thread(server.stop, signal.SIGTERM))
        await until(lambda: is_stopping(pid))
        await until(lambda: refuses(server.port))  # who comes back goes to whom is there then
        await asyncio.sleep(0.2)  # it waits a second for answers; one that did not would be gone
        lock.execute("ROLLBACK")
    assert (await ann.frame_of("done"))["id"] == command["id"]
    assert await end_of(ann.socket) == RESTART
    assert await stopping == 0


def waiting(server: Server) -> float:
    """How many changes the writer has not begun yet."""
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=10) as answer:
        metrics = answer.read().decode()
    return float(metrics.split("\nblackjack_writer_queue ")[1].split("\n")[0])


def refuses(port: int) -> bool:
    """Whether nobody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


def is_stopping(pid: int) -> bool:
    """Whether the process ignores SIGTERM, which is the first thing it does when one has come."""
    ignored = re.search(r"^SigIgn:\s+(\w+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert ignored
    return bool(int(ignored[1], 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.long
async def test_a_stop_does_not_wait_for_a_database_that_does_not_answer(server: Server) -> None:
    ann = await player(server, "ann")
    await ann.open(CASINO)
    with closing(sqlite3.connect(server.data / "db.sqlite3", isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        command = {"t": "sit", "seat": 1, "id": str(uuid.uuid4())}
        await ann.socket.send(json.dumps(command))
        await asyncio.sleep(0.3)
        began = time.monotonic()
        assert await asyncio.to_thread(server.stop, signal.SIGTERM) == 0
        assert time.monotonic() - began < ALLOWED_SECONDS
        assert await end_of(ann.socket) == RESTART
        lock.execute("ROLLBACK")
    server.start()
    await ann.open(CASINO)
    assert ann.table["seats"][0].get("player") is None
    assert (await ann.send(**command))["t"] == "done"


@pytest.mark.long
@pytest.mark.parametrize("program", ["daphne", "uvicorn"])
async def test_a_request_has_to_arrive_in_time_and_its_answer_may_take_longer(
    tmp_path: Path, prepared: Path, program: str
) -> None:
    with serving(
        tmp_path, prepared, module="tests.helpers.servers.impatient", SERVER=program
    ) as server:
        first = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(5)]
        for _, writer in first:
            writer.write(b"GET / HT")
        idle = [
            await asyncio.open_connection("127.0.0.1", server.port) for _ in range(MOST_ARRIVING)
        ]
        for reader, _ in first:  # there are too many, and these have waited longest
            with suppress(ConnectionError):
                assert await asyncio.wait_for(reader.read(), 10) == b""
        assert not idle[-1][0].at_eof()
        for _, writer in [*first, *idle]:
            writer.close()
        began = time.monotonic()
        slow = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(4)]
        slow[0][1].write(b"G")
        slow[1][1].write(b"GET / HTTP/1.1\r\nX-Slow: ")
        slow[2][1].write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n")
        slow[3][1].write(b"GET /ws/lobby/ HTTP/1.1\r\nUpgrade: websocket\r\nX-Slow: ")
        dripping = asyncio.gather(*(drip(writer) for _, writer in slow))
        with closing(sqlite3.connect(server.data / "db.sqlite3", isolation_level=None)) as lock:
            lock.execute("BEGIN IMMEDIATE")
            signing_up = asyncio.create_task(player(server, "ann"))
            for reader, _ in slow:
                assert await asyncio.wait_for(reader.read(), 10) == b""
            assert time.monotonic() - began > ARRIVAL_SECONDS - 0.5
            await asyncio.sleep(ARRIVAL_SECONDS)
            assert not signing_up.done()
            lock.execute("ROLLBACK")
        await signing_up
        dripping.cancel()


async def drip(writer: asyncio.StreamWriter) -> None:
    """A byte now and then."""
    while not writer.is_closing():
        writer.write(b"x")
        await asyncio.sleep(0.3)
