"""What a house costs in which nobody does anything: memory of pages and tables, and processor time.

A socket costs what the same number of bare ones costs less; a table what is left in the process
when its round was played and its pages are closed.
"""

from __future__ import annotations

import asyncio
import resource
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tables.engine.presets import PRESETS
from tests.bench import many_tables
from tests.bench.playing import STAKE, close_pages, play_round, take_seats
from tests.bench.servers import line, opened, private_kilobytes, share_of_a_core, wait_until_at_rest
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer

SOCKETS = 2_000
TABLES = 100
SECONDS = 30.0
"""For so long it is looked how much of the processor is used."""
AT_ONCE = 50
"""So many sockets are opened at the same time."""
FILES_BESIDE = 500
SETTLE_SECONDS = 12.5
"""Two heartbeats after the last has come."""
HOUSE_TABLE = 1
A_CORE = "a core that is busy all the time"


def measure(
    folder: Path, *, sockets: int = SOCKETS, tables: int = TABLES, seconds: float = SECONDS
) -> Iterator[dict[str, Any]]:
    """One JSON line a figure."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # servers inherit it
    if sockets + FILES_BESIDE > most:
        raise RuntimeError(f"{sockets} sockets need a higher ulimit -n than {most}")
    results = [
        idle_house(folder / name, path, sockets, seconds)
        for name, path in (("bare", "bare/"), ("table", f"ws/tables/{HOUSE_TABLE}/"))
    ]
    (floor, floor_share, _), (kilobytes, share, alive) = results
    bare = "a socket of a bare ASGI application on the same server"
    yield line("kilobytes_per_watcher", kilobytes, floor, bare)
    yield line(f"idle_sockets_of_{sockets}_with_a_heartbeat", alive, sockets, "all of them")
    yield line(
        f"core_with_{sockets}_idle_sockets", share, floor_share, f"as many of: {bare}", digits=4
    )
    yield asyncio.run(table_memory(folder / "tables", tables))
    yield from at_rest(folder / "rest", seconds)


def idle_house(folder: Path, path: str, number: int, seconds: float) -> tuple[float, float, int]:
    """:func:`idle_sockets` on a server of their own, after a few that came and went: what the
    first ones bring about once is not theirs.
    """
    with opened(folder, SOCKETS_PER_ADDRESS=str(number)) as (server, _):
        asyncio.run(idle_sockets(server, path, AT_ONCE, 1))
        return asyncio.run(idle_sockets(server, path, number, seconds, settle=SETTLE_SECONDS))


async def idle_sockets(
    server: Server, path: str, number: int, seconds: float, *, settle: float = 0
) -> tuple[float, float, int]:
    """What so many sockets cost: KB each, of a core all together; how many heard a heartbeat."""
    before = private_kilobytes(server)
    async with sockets_at(server, path, number) as open_sockets:
        settled = asyncio.create_task(asyncio.sleep(settle))
        await asyncio.gather(*(heartbeats(socket, settled) for socket in open_sockets))
        kilobytes = (private_kilobytes(server) - before) / number
        looked = asyncio.create_task(asyncio.to_thread(share_of_a_core, server, seconds=seconds))
        counts = await asyncio.gather(*(heartbeats(socket, looked) for socket in open_sockets))
        return kilobytes, await looked, sum(count > 0 for count in counts)


@asynccontextmanager
async def sockets_at(
    server: Server, path: str, number: int
) -> AsyncIterator[list[ClientConnection]]:
    """So many open sockets of people who are not logged in."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def open_one() -> ClientConnection:
        async with gate:
            return await connect(
                f"ws://localhost:{server.port}/{path}", origin=server.url,
                compression=None, ping_interval=None, open_timeout=60,
            )  # fmt: skip

    open_sockets = await asyncio.gather(*(open_one() for _ in range(number)))
    try:
        yield open_sockets
    finally:
        await asyncio.gather(*(socket.close() for socket in open_sockets))


async def heartbeats(socket: ClientConnection, until: asyncio.Task[Any]) -> int:
    """How many heartbeats come until that ends. Raises ``ConnectionClosed`` if the socket does."""
    count = 0
    while not until.done():
        coming = asyncio.ensure_future(socket.recv())
        await asyncio.wait({coming, until}, return_when=asyncio.FIRST_COMPLETED)
        if not coming.done():
            coming.cancel()
            break
        count += '"t":"heartbeat"' in str(coming.result())
    return count


async def table_memory(folder: Path, number: int) -> dict[str, Any]:
    """What the process keeps of a table with three seats at which a round was played."""

    ids: list[int] = []

    def furnish(path: Path) -> None:
        ids.extend(many_tables.furnish(path, tables=2 * number + len(PRESETS)))

    with opened(folder, players=("ann", "ben", "cleo"), furnish=furnish) as (server, players):
        for table_id in ids[:number]:  # what the first tables bring about once
            await one_evening(players, table_id)
        before = private_kilobytes(server)
        for table_id in ids[number:]:
            await one_evening(players, table_id)
        kilobytes = (private_kilobytes(server) - before) / number
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        ((stored,),) = database.execute(
            "SELECT avg(length(state)) FROM tables_table WHERE id > ?", (ids[0],)
        )
    return line("kilobytes_per_open_table", kilobytes, stored / 1024, "its stored state, as text")


async def one_evening(players: list[SocketPlayer], table_id: int) -> None:
    """All three sit down, play one round, and close their pages."""
    await take_seats(players, table_id)
    await play_round(players)
    await close_pages(players)


def at_rest(folder: Path, seconds: float) -> Iterator[dict[str, Any]]:
    """What is used with nobody there, and with one table whose clock runs."""
    with opened(folder, players=("ann", "ben")) as (server, players):
        wait_until_at_rest(server)
        yield line("core_at_rest", share_of_a_core(server, seconds=seconds), 1, A_CORE, digits=4)
        share = asyncio.run(with_a_clock(server, players, seconds))
        yield line("core_with_one_clock_running", share, 1, A_CORE, digits=4)


async def with_a_clock(server: Server, players: list[SocketPlayer], seconds: float) -> float:
    """Two sit there, and one has bet: the clock runs for the other's bet, then for a decision."""
    await take_seats(players, HOUSE_TABLE)
    await players[0].decide("bet", stake=STAKE)
    share = await asyncio.to_thread(share_of_a_core, server, seconds=seconds)
    await close_pages(players)
    return share
