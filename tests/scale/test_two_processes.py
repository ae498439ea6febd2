"""One table, two server processes, PostgreSQL and Redis between them. Also: uvicorn."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
import pytest_asyncio

from tests.scale.postgres import postgresql
from tests.scale.redis import RedisServer
from tests.server import Server
from tests.wire_player import WirePlayer

CASINO = 1


@dataclass
class Scaled:
    """Two servers on the same database, and what connects them."""

    first: Server
    second: Server
    redis: RedisServer


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database on PostgreSQL as the first start leaves it, for others to be made of."""
    with postgresql() as url:
        folder = tmp_path_factory.mktemp("postgresql")
        done = Server(folder, DATABASE_URL=url).manage("prepare")
        assert done.returncode == 0, done.stderr
        yield url


@contextmanager
def copied(url: str, name: str) -> Iterator[str]:
    """A copy of a database that nobody uses."""
    place = urlsplit(url)
    with psycopg.connect(place._replace(path="/template1").geturl(), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {place.path[1:]}")
        yield place._replace(path=f"/{name}").geturl()
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["daphne", "uvicorn"])
def scaled(
    request: pytest.FixtureRequest, tmp_path: Path, prepared: Path, database: str
) -> Iterator[Scaled]:
    with ExitStack() as stack:
        redis = RedisServer(tmp_path)
        stack.callback(redis.kill)
        redis.start()
        data = tmp_path / "data"
        shutil.copytree(prepared, data, ignore=shutil.ignore_patterns("db.sqlite3*"))
        url = stack.enter_context(copied(database, f"two_{uuid4().hex}"))
        servers = []
        for _ in range(2):
            program = request.param
            server = Server(data, program=program, DATABASE_URL=url, REDIS_URL=redis.url)
            stack.callback(server.end)
            server.start()
            servers.append(server)
        yield Scaled(*servers, redis)


ON_DAPHNE = pytest.mark.parametrize("scaled", ["daphne"], indirect=True)
ON_UVICORN = pytest.mark.parametrize("scaled", ["uvicorn"], indirect=True)
"""What is the same on both is looked at on one."""


@pytest_asyncio.fixture
async def friends(scaled: Scaled) -> AsyncIterator[tuple[WirePlayer, WirePlayer]]:
    """Ann plays through one process, ben through the other."""
    ann = WirePlayer(scaled.first.url, "ann")
    ben = WirePlayer(scaled.second.url, "ben")
    for player, seat in ((ann, 1), (ben, 2)):
        await asyncio.to_thread(player.sign_up)
        await player.open(CASINO)
        assert (await player.send(t="sit", seat=seat))["t"] == "done"
    yield ann, ben
    for player in (ann, ben):
        await player.close()


async def play_a_round(ann: WirePlayer, ben: WirePlayer) -> None:
    for player, other in ((ann, ben), (ben, ann)):
        await player.until(other.seq)
        await player.decide("bet", stake=1000)
    await ann.until(ben.seq)
    while (asked := ann.table["asked"]) is not None:
        player, other = (ann, ben) if asked["seat"] == 1 else (ben, ann)
        await player.until(other.seq)
        await player.decide("stand")
        await ann.until(player.seq)
    await ben.until(ann.seq)


async def test_friends_on_two_processes_see_one_table(
    scaled: Scaled, friends: tuple[WirePlayer, WirePlayer]
) -> None:
    ann, ben = friends
    for _ in range(3):
        await play_a_round(ann, ben)
        assert ann.table == ben.table
    audit = scaled.first.manage("audit")
    assert audit.returncode == 0, audit.stderr


@ON_UVICORN
async def test_without_redis_play_goes_on_and_pages_catch_up_by_the_heartbeat(
    scaled: Scaled, friends: tuple[WirePlayer, WirePlayer]
) -> None:
    ann, ben = friends
    scaled.redis.kill()
    await ann.decide("bet", stake=1000)
    while (await ben.frame_of("heartbeat"))["seq"] <= ben.seq:
        pass
    await ben.socket.send('{"t":"resync"}')
    await ben.frame_of("snapshot")
    assert ben.seq == ann.seq
    scaled.redis.start()
    await asyncio.sleep(7)  # a heartbeat later the hubs have joined their groups again
    await ben.decide("bet", stake=1000)
    await asyncio.wait_for(ann.until(ben.seq), 3)
    assert ann.table == ben.table


@ON_DAPHNE
async def test_a_killed_process_leaves_its_table_to_the_other(
    scaled: Scaled, friends: tuple[WirePlayer, WirePlayer]
) -> None:
    ann, ben = friends
    await ann.decide("bet", stake=1000)
    await ben.until(ann.seq)
    scaled.first.stop(signal.SIGKILL)
    await ben.decide("bet", stake=1000)
    ann.url = scaled.second.url
    await ann.open(CASINO)
    assert ann.table == ben.table
    hands = ann.table["seats"][0]["hands"]  # the cards are not stacked: it may be over already
    assert ann.balance == 49_000 + sum(hand.get("payout", 0) for hand in hands)


@ON_UVICORN
async def test_logging_out_everywhere_closes_the_pages_of_the_other_process(
    scaled: Scaled, friends: tuple[WirePlayer, WirePlayer]
) -> None:
    ann, ben = friends
    ann.url = scaled.second.url
    await ann.open(CASINO)
    ann.url = scaled.first.url
    here, there = ann.sockets
    form = {"everywhere": ""}
    page = await asyncio.to_thread(ann.post, "/account/", "/account/sessions/end/", **form)
    assert "You are logged out everywhere." in page
    for socket in (here, there):
        await asyncio.wait_for(socket.wait_closed(), 2)
        assert socket.close_code == 4401
    assert (await ben.send(t="leave"))["t"] == "done"
