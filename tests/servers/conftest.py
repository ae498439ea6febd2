from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.helpers.servers.process import Server, serving
from tests.helpers.socket_player import SocketPlayer

CASINO = 1
"""The table that the first start opens first."""


@pytest.fixture
def server(tmp_path: Path, prepared: Path) -> Iterator[Server]:
    """A running server with the tables of a first start."""
    with serving(tmp_path, prepared) as running:
        yield running


class House:
    """A server, and the players who came to it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.players: list[SocketPlayer] = []

    async def watching(self, name: str) -> SocketPlayer:
        """A new player with an open page of the casino table."""
        player = SocketPlayer(self.server.url, name)
        self.players.append(player)
        await asyncio.to_thread(player.sign_up)
        await player.open(CASINO)
        return player

    async def seated(self, name: str, seat: int) -> SocketPlayer:
        """A new player in this seat of the casino table."""
        player = await self.watching(name)
        answer = await player.send(t="sit", seat=seat)
        assert answer["t"] == "done", answer
        return player


@pytest_asyncio.fixture
async def house(server: Server) -> AsyncIterator[House]:
    """The running server with its players, whose sockets are closed in the end."""
    opened = House(server)
    yield opened
    for player in opened.players:
        await player.close()
