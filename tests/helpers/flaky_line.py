"""The line between a browser and the server, which tests cut, freeze and mend."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Wire:
    """A relay on a port of its own. What is in the middle of it when it freezes arrives later."""

    def __init__(self, to_port: int) -> None:
        self.to_port = to_port
        self.port = 0
        self.is_cut = False
        self._flows = asyncio.Event()
        self._flows.set()
        self._streams: set[asyncio.StreamWriter] = set()

    def freeze(self) -> None:
        """Nothing arrives any more, and nobody is told: a wifi that is out of reach."""
        self._flows.clear()

    def cut(self) -> None:
        """Every connection ends, and no new one is made."""
        self.is_cut = True
        for stream in self._streams:
            stream.transport.abort()
        self._flows.set()

    def mend(self) -> None:
        """As it was: connections that lived go on, new ones are made."""
        self.is_cut = False
        self._flows.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay one connection of the browser."""
        if self.is_cut:
            writer.transport.abort()
            return
        try:
            there = await asyncio.open_connection("127.0.0.1", self.to_port)
        except OSError:  # the server is down
            writer.transport.abort()
            return
        self._streams |= {writer, there[1]}
        await asyncio.gather(self._pump(reader, there[1]), self._pump(there[0], writer))
        self._streams -= {writer, there[1]}

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def wire_to(port: int, at: int = 0) -> AsyncIterator[Wire]:
    """A wire to the server on this port, at a port of its own: any, or this one."""
    wire = Wire(port)
    relay = await asyncio.start_server(wire.serve, "127.0.0.1", at)
    wire.port = relay.sockets[0].getsockname()[1]
    try:
        yield wire
    finally:
        wire.cut()
        relay.close()
