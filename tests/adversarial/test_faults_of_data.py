"""A process that dies at the worst moment, a database that fails, and a clock that jumps."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import sqlite3
import urllib.request
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
import pytest_asyncio

from tests.adversarial.players import until
from tests.helpers.servers.faulty import POINTS, clock_of, dies_at
from tests.helpers.servers.process import Server, serving
from tests.helpers.socket_player import SocketPlayer

CASINO, POT = 1, 3
SHOE = "8s 6h 8d Kc 2c 3d 9s Th 4c 5d 6s 7h"
"""Two eights against a six and a king: a hit brings a two, and then the dealer a three."""
HOUR = 3600
HEARTBEATS, SILENCE = 2, 8
"""So many in the time after which a page takes its line for dead, and seconds between two."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("faulty")
    with serving(folder, prepared, module="tests.helpers.servers.faulty") as running:
        yield running
        audit = running.manage("audit")
        assert audit.returncode == 0, audit.stderr


@pytest.fixture(scope="module")
def ann_signed_up(server: Server) -> SocketPlayer:
    ann = SocketPlayer(server.url, "ann")
    ann.sign_up()
    return ann


@pytest_asyncio.fixture
async def ann(server: Server, ann_signed_up: SocketPlayer) -> AsyncIterator[SocketPlayer]:
    """She has two eights, and is asked what to do with them."""
    ann = ann_signed_up
    ann.sockets.clear()
    server.stack(SHOE)
    noted = noted_at(server)
    await ann.open(CASINO)
    if ann.table["seats"][0].get("player") is None:
        assert (await ann.send(t="sit", seat=1))["t"] == "done"
    await ann.decide("bet", stake=1000)
    assert hand(ann) == ["8s", "8d"]
    # That her page is open is written a little later: no command is to wait behind that.
    await until(lambda: noted_at(server) != noted)
    yield ann
    if ann.table["asked"]:
        await ann.decide("stand")
    await ann.close()


def hand(player: SocketPlayer) -> list[str]:
    cards: list[str] = player.table["seats"][0]["hands"][0]["cards"]
    return cards


def command_of(player: SocketPlayer, what: str) -> dict[str, Any]:
    return {"t": what, "turn": player.table["turn"], "id": str(uuid.uuid4())}


def database(server: Server) -> sqlite3.Connection:
    return sqlite3.connect(server.data / "db.sqlite3", isolation_level=None)


def noted_at(server: Server) -> object:
    """When it was written last whose pages are open at the table."""
    with closing(database(server)) as here:
        query = "SELECT max(seen_at) FROM tables_visit WHERE table_id = ?"
        return here.execute(query, (CASINO,)).fetchone()[0]


def set_deadline(here: sqlite3.Connection, when: str) -> None:
    """Have the time of whoever is asked run out then; ``when`` is SQLite's way to say it."""
    at = f"strftime('%Y-%m-%d %H:%M:%f', 'now', '{when}')"
    here.execute(f"UPDATE tables_table SET deadline_at = {at} WHERE id = {CASINO}")


@contextmanager
def locked(server: Server) -> Iterator[sqlite3.Connection]:
    """Some other program writes, and takes its time."""
    with closing(database(server)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        yield lock
        lock.execute("COMMIT")


WHAT_IT_DOES = {
    "written and not committed": "hit",
    "committed and nobody told": "hit",
    "in the dealer's play": "stand",
    "in the settlement": "stand",
}
IS_DONE = {"committed and nobody told"}


@pytest.mark.long
@pytest.mark.parametrize("point", POINTS)
async def test_case_35_a_server_that_dies_is_resent_the_command_and_does_it_once(
    server: Server, ann: SocketPlayer, point: str
) -> None:
    command, balance = command_of(ann, WHAT_IT_DOES[point]), ann.balance
    dies_at(server.data).write_text(point)
    await ann.socket.send(json.dumps(command))
    assert server.process is not None
    assert await asyncio.to_thread(server.process.wait, 10) == -signal.SIGKILL
    dies_at(server.data).unlink()
    server.process = None
    await asyncio.to_thread(server.start)
    before = (await ann.open(CASINO))["table"]
    assert ann.balance == balance
    if point in IS_DONE:
        assert hand(ann) == ["8s", "8d", "2c"]
    else:
        assert hand(ann) == ["8s", "8d"]
        assert before["asked"]["seat"] == 1
    answer, again = await ann.send(**command), await ann.send(**command)
    assert answer == again
    assert answer["t"] == "done"
    if command["t"] == "hit":
        assert hand(ann) == ["8s", "8d", "2c"]
    else:  # with the same cards as if nobody had died
        assert ann.table["dealer"]["cards"] == ["6h", "Kc", "2c"]
        assert ann.table["seats"][0]["hands"][0]["outcome"] == "lose"


async def test_case_60_a_server_that_is_killed_during_an_offer_keeps_the_line(
    server: Server,
) -> None:
    players = [SocketPlayer(server.url, name) for name in ("ben", "cleo", "finn", "dora", "erin")]
    for player in players:
        await asyncio.to_thread(player.sign_up)
        await player.open(POT)
    ben, cleo, finn, dora, erin = players
    for seat, player in enumerate((ben, cleo, finn), 1):
        assert (await player.send(t="sit", seat=seat))["t"] == "done"
    for player in (dora, erin):
        assert (await player.send(t="queue_up"))["t"] == "done"
    await until(lambda: visits(server, POT) == len(players))
    assert (await ben.send(t="leave"))["t"] == "done"
    offered = ben.table["queue"]
    assert [(entry["player"], entry.get("seat")) for entry in offered] == [
        ("dora", 1),
        ("erin", None),
    ]
    assert server.process is not None
    server.process.kill()
    await asyncio.to_thread(server.process.wait, 10)
    server.process = None
    await asyncio.to_thread(server.start)
    await erin.open(POT)
    assert (await erin.send(t="sit", seat=1))["code"] == "seat_offered"
    await dora.open(POT)
    assert (await dora.send(t="sit", seat=1))["t"] == "done"
    assert [entry["player"] for entry in dora.table["queue"]] == ["erin"]
    for player in (cleo, finn, dora):
        await player.open(POT)
        assert (await player.send(t="leave"))["t"] == "done"
    for player in players:
        await player.close()


def visits(server: Server, table: int) -> int:
    """How many players' pages at the table are written down."""
    with closing(database(server)) as here:
        query = "SELECT count(DISTINCT user_id) FROM tables_visit WHERE table_id = ?"
        return int(here.execute(query, (table,)).fetchone()[0])


@pytest.mark.long
async def test_case_37_a_database_that_is_locked_for_seconds_costs_nobody_a_turn(
    server: Server, ann: SocketPlayer
) -> None:
    with locked(server) as lock:
        hitting = asyncio.create_task(ann.send(**command_of(ann, "hit")))
        await asyncio.sleep(4)
        assert not hitting.done()
        # Three seconds after the hit, and longer ago than what is still allowed: that her time
        # ran out meanwhile is written here, so that no machine is too slow to send it before.
        set_deadline(lock, "-1 second")
    answer = await hitting
    assert answer["t"] == "done", answer
    assert hand(ann) == ["8s", "8d", "2c"]
    await ann.decide("stand")


async def test_case_37_a_turn_that_ran_out_while_the_database_was_locked_is_given_anew(
    server: Server, ann: SocketPlayer
) -> None:
    with closing(database(server)) as here:
        set_deadline(here, "-7 seconds")
    assert "clock_ran_out" not in await kinds_until(ann, "clock_extended")
    assert ann.table["asked"]["seat"] == 1
    await ann.decide("stand")


@pytest.mark.long(seconds=15)
async def test_case_57_a_locked_database_does_not_look_like_a_dead_line(
    server: Server, ann: SocketPlayer
) -> None:
    """Heartbeats come in time, and say nothing that is not so; afterwards the command is done."""
    command, seq, epoch = (
        command_of(ann, "hit"),
        ann.seq,
        (await ann.frame_of("heartbeat"))["epoch"],
    )
    with locked(server):
        await ann.socket.send(json.dumps(command))
        answer, beats = {}, 0
        while beats < HEARTBEATS:
            frame = await asyncio.wait_for(ann.frame(), SILENCE)
            answer = frame if frame.get("id") == command["id"] else answer
            if frame["t"] == "heartbeat":
                beats += 1
                assert (frame["epoch"], frame["seq"]) == (epoch, seq)
        await asyncio.wait_for(await ann.socket.ping(), SILENCE)
        assert answer == {}
    while (answer := await ann.frame()).get("id") != command["id"]:
        pass
    assert answer["t"] == "done", answer
    assert hand(ann) == ["8s", "8d", "2c"]


@pytest.mark.long
async def test_case_37_a_disk_that_is_full_is_busy_and_nothing_is_half_done(
    server: Server, ann: SocketPlayer
) -> None:
    assert server.process is not None
    pid = server.process.pid
    command, before = command_of(ann, "hit"), rows(server)
    logged = len(server.log.read_text())
    whole = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    # No file of its may be written beyond this: not one page of the database's log.
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (4_096, whole[1]))
    try:
        answer = await ann.send(**command)
        assert (answer["t"], answer["code"]) == ("err", "busy")
        assert rows(server) == before
        await asyncio.sleep(1.1)  # an earlier result is valid for a second
        with pytest.raises(HTTPError) as refusal:
            await asyncio.to_thread(urllib.request.urlopen, f"{server.url}/readyz")
        assert refusal.value.code == 503
        assert b"the disk cannot be written" in refusal.value.read()
        await asyncio.sleep(2)
        assert "Traceback" not in server.log.read_text()[logged:]
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, whole)
    assert (await ann.send(**command))["t"] == "done"
    assert hand(ann) == ["8s", "8d", "2c"]
    await ann.decide("stand")


def rows(server: Server) -> list[Any]:
    with closing(database(server)) as here:
        return [
            here.execute("SELECT count(*) FROM tables_change").fetchall(),
            here.execute("SELECT id, balance FROM accounts_account ORDER BY id").fetchall(),
            here.execute("SELECT state FROM tables_table WHERE id = 1").fetchall(),
        ]


@pytest.mark.long
async def test_case_39_a_clock_that_jumps_an_hour_makes_nobody_stand(
    server: Server, ann: SocketPlayer
) -> None:
    clock = clock_of(server.data, server.port)
    clock.write_text(str(HOUR))
    try:
        # At once, before anybody has looked at the clock, and again when somebody has.
        assert (await ann.send(**command_of(ann, "hit")))["t"] == "done"
        assert "clock_ran_out" not in await kinds_until(ann, "clock_extended")
        remaining = ann.table["deadline"] - (await ann.frame_of("heartbeat"))["now"]
        assert 5_000 < remaining <= 20_000
        assert hand(ann) == ["8s", "8d", "2c"]
        clock.write_text("0")  # and back: nobody is to wait for an hour
        assert "clock_ran_out" not in await kinds_until(ann, "clock_extended")
        remaining = ann.table["deadline"] - (await ann.frame_of("heartbeat"))["now"]
        assert 5_000 < remaining <= 20_000
        await ann.decide("stand")
    finally:
        clock.unlink()


async def kinds_until(player: SocketPlayer, kind: str) -> list[str]:
    """What has happened at the table since this was asked last, until that did, which is soon."""
    async with asyncio.timeout(15):
        while kind not in player.happened:
            await player.frame()
    kinds, player.happened = player.happened, []
    return kinds
