"""The processes of one set-up: servers behind a proxy, and what they keep their data in."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from subprocess import TimeoutExpired

from tests.chaos.proxy import Proxy
from tests.helpers.servers.process import Server
from tests.multiprocess.postgres import PostgresServer, postgresql_server
from tests.multiprocess.redis import RedisServer

SQLITE, SCALED = "sqlite", "scaled"
PROGRAMS = {SQLITE: ("daphne",), SCALED: ("uvicorn", "daphne", "uvicorn")}


@dataclass
class House:
    """What a run plays against. ``site`` is where its players find it."""

    proxy: Proxy
    servers: list[Server]
    redis: RedisServer | None
    postgres: PostgresServer | None
    longest: float = 5.0
    """Seconds for which something is away at most."""
    exits: list[int | None] = field(default_factory=list)
    """What processes exited with after SIGTERM; ``None``: they did not."""

    @property
    def site(self) -> str:
        return f"http://localhost:{self.proxy.port}"

    async def start(self, *servers: Server) -> None:
        """Start these processes, all at once."""
        await asyncio.gather(*(asyncio.to_thread(server.start) for server in servers))

    async def kill(self, server: Server) -> None:
        """kill -9, and nothing was said to anybody."""
        await asyncio.to_thread(server.end)

    async def terminate(self, server: Server) -> None:
        """SIGTERM, and wait until the process has ended."""
        try:
            status: int | None = await asyncio.to_thread(server.stop, signal.SIGTERM)
        except TimeoutExpired:
            status = None
            await self.kill(server)
        self.exits.append(status)

    async def freeze(self, server: Server, seconds: float) -> None:
        """Let the process stand still."""
        assert server.process is not None
        server.process.send_signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            server.process.send_signal(signal.SIGCONT)


@asynccontextmanager
async def house(
    on: str,
    folder: Path,
    chance: Random,
    *,
    prepared: Path | None = None,
    cluster: Path | None = None,
    programs: tuple[str, ...] = (),
    **environment: str,
) -> AsyncIterator[House]:
    """Everything but the servers runs; they are in ``servers``, on an empty database.

    ``prepared`` and ``cluster``: data of a first start, which is copied. Whatever happens, all of it
    is ended.
    """
    async with AsyncExitStack() as stack:
        data = folder / "data"
        if prepared is not None:
            shutil.copytree(prepared, data)
        proxy = Proxy(chance)
        await proxy.start()
        stack.push_async_callback(proxy.close)
        redis = postgres = None
        environment |= {"SITE_URL": f"http://localhost:{proxy.port}"}
        if on == SCALED:
            redis = RedisServer(folder)
            stack.callback(redis.kill)
            redis.start()
            postgres = stack.enter_context(postgresql_server(cluster, keeps_all=True))
            if cluster is not None:
                postgres.url = postgres.database("migrated")
            environment |= {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}
        servers = []
        for program in programs or PROGRAMS[on]:
            server = Server(data, program=program, **environment)
            if program == "daphne":  # as people start it, and nothing exchanged
                server.command = ["manage.py", "serve"]
            servers.append(server)
            stack.callback(server.end)
        proxy.backends = [server.port for server in servers]
        stack.push_async_callback(asyncio.get_running_loop().shutdown_default_executor)
        if prepared is None:
            process = await asyncio.to_thread(servers[0].manage, "prepare")
            if process.returncode:
                raise RuntimeError(process.stderr)
        yield House(proxy, servers, redis, postgres)
