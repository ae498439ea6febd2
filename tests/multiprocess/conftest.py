"""Fixtures of several test files: a site of two server processes, and two players at it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio

from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.postgres import PostgresServer, postgresql_server
from tests.multiprocess.redis import RedisServer
from tests.multiprocess.two_servers import CASINO, TwoServers


@pytest.fixture(scope="session")
def postgres(cluster: Path) -> Iterator[PostgresServer]:
    """A PostgreSQL with a database as the first start leaves it, for others to be made of."""
    with postgresql_server(cluster) as server:
        yield server


@pytest.fixture(params=["daphne", "uvicorn"])
def scaled(
    request: pytest.FixtureRequest, tmp_path: Path, prepared: Path, postgres: PostgresServer
) -> Iterator[TwoServers]:
    with ExitStack() as stack:
        redis = RedisServer(tmp_path)
        stack.callback(redis.kill)
        redis.start()
        data = tmp_path / "data"
        shutil.copytree(prepared, data, ignore=shutil.ignore_patterns("db.sqlite3*"))
        url = postgres.create(f"two_{uuid4().hex}", "prepared")
        servers = []
        for _ in range(2):
            program = request.param
            server = Server(data, program=program, DATABASE_URL=url, REDIS_URL=redis.url)
            stack.callback(server.end)
            server.start()
            servers.append(server)
        yield TwoServers(*servers, redis)


@pytest_asyncio.fixture
async def friends(scaled: TwoServers) -> AsyncIterator[tuple[SocketPlayer, SocketPlayer]]:
    """Ann plays through one process, ben through the other."""
    ann = SocketPlayer(scaled.first.url, "ann")
    ben = SocketPlayer(scaled.second.url, "ben")
    for player, seat in ((ann, 1), (ben, 2)):
        await asyncio.to_thread(player.sign_up)
        await player.open(CASINO)
        assert (await player.send(t="sit", seat=seat))["t"] == "done"
    yield ann, ben
    for player in (ann, ben):
        await player.close()
