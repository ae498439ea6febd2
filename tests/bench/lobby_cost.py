"""What a frame to an open page of the lobby costs: for the model.

The same news with many lobbies open and with none: the difference is theirs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.bare import Browser, get
from tests.bench.comparison import cpu_seconds
from tests.bench.idle import sockets_at
from tests.bench.playing import catch_up, close_pages, take_seats
from tests.bench.servers import line, opened
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer

LOBBIES = 500
NEWS = 20
PAUSE_SECONDS = 1.05
"""A lobby gets one frame a second at most."""
TABLE = 1
LISTS = 50


def measure(folder: Path, *, lobbies: int = LOBBIES, news: int = NEWS) -> Iterator[dict[str, Any]]:
    """One JSON line."""
    with opened(folder, players=("ann",)) as (server, players):
        frame_ms, page_ms = asyncio.run(cost(server, players, lobbies, news))
    floor_is = "a list of the lobby by a request, for the same page"
    yield line("cpu_ms_per_lobby_frame", frame_ms, page_ms, floor_is, digits=4)


async def cost(
    server: Server, players: list[SocketPlayer], lobbies: int, news: int
) -> tuple[float, float]:
    """Milliseconds of the processor: a frame to one lobby, and a request for the list."""
    await take_seats(players, TABLE)
    without = await make_news(server, players, news)
    async with sockets_at(server, "ws/lobby/", lobbies):
        await asyncio.sleep(2)
        with_them = await make_news(server, players, news)
    await close_pages(players)
    request_seconds = await asyncio.to_thread(request_lists, server, players[0])
    return 1000 * (with_them - without) / (news * lobbies), 1000 * request_seconds / LISTS


def request_lists(server: Server, player: SocketPlayer) -> float:
    """Request the list of tables :data:`LISTS` times; seconds of the server's processor."""
    browser = Browser(server, get(server, "/lobby/tables/", player))
    browser.ask()
    before = cpu_seconds(_pid(server))
    for _ in range(LISTS):
        browser.ask()
    seconds = cpu_seconds(_pid(server)) - before
    browser.close()
    return seconds


async def make_news(server: Server, players: list[SocketPlayer], news: int) -> float:
    """Leave and sit down ``news`` times; return the processor time of the server in seconds."""
    before = cpu_seconds(_pid(server))
    for number in range(news):
        deed = {"t": "leave"} if number % 2 == 0 else {"t": "sit", "seat": 1}
        await players[0].send(**deed)
        await catch_up(players)
        await asyncio.sleep(PAUSE_SECONDS)
    return cpu_seconds(_pid(server)) - before


def _pid(server: Server) -> int:
    assert server.process is not None
    return server.process.pid
