"""A line between players and server processes that can be slow, dead, cut or torn to pieces."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random

BLOCK = 16_384
WAITING = 8
"""Blocks on their way in one direction before nothing more is read."""


@dataclass
class Weather:
    """What happens to bytes under way, in both directions. Times in seconds."""

    delay: float = 0.0
    jitter: float = 0.0
    """Each block is late by ``delay`` ± ``jitter``; none overtakes another."""
    rate: float = 0.0
    """Bytes a second; 0 for any number."""
    slices: bool = False
    """Whether what is sent together arrives in pieces of a few bytes."""


class Proxy:
    """Spreads connections over the processes that listen, one after the other."""

    def __init__(self, chance: Random) -> None:
        self.port = 0
        self.backends: Sequence[int] = ()
        self.weather = Weather()
        self._chance = chance
        self._flows = asyncio.Event()
        self._flows.set()
        self._next = 0
        self._lines: set[_Line] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1000)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """End every connection, and listen no more."""
        self.reset()
        self._flows.set()
        if self._server is not None:
            self._server.close()

    # What may be done to the connections that there are

    def reset(self, share: float = 1.0) -> None:
        """Tear this share of them, as a router does that was switched off and on."""
        for line in self._some(share):
            line.abort()

    def half_open(self, share: float = 1.0) -> None:
        """Tear the players' side; the server is not told."""
        for line in self._some(share):
            line.is_torn = True
            line.near.transport.abort()

    def black_hole(self) -> None:
        """Nothing arrives any more, and nobody is told. New connections hang as well."""
        self._flows.clear()

    def mend(self) -> None:
        """Good weather; what was under way arrives, and torn lines end at the server, too."""
        self.weather = Weather()
        self._flows.set()
        for line in list(self._lines):
            if line.is_torn:
                line.abort()

    def _some(self, share: float) -> list[_Line]:
        lines = sorted(self._lines, key=lambda line: line.number)
        return self._chance.sample(lines, round(len(lines) * share))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._flows.wait()
        for _ in range(len(self.backends)):
            backend = self.backends[self._next % len(self.backends)]
            self._next += 1
            with suppress(OSError):
                far = await asyncio.open_connection("127.0.0.1", backend)
                break
        else:
            writer.transport.abort()
            return
        line = _Line(self._next, writer, far[1])
        self._lines.add(line)
        try:
            await asyncio.gather(self._pump(reader, far[1], line), self._pump(far[0], writer, line))
        finally:
            self._lines.discard(line)
            line.abort()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: _Line
    ) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(WAITING)
        send = asyncio.create_task(self._send(waiting, writer, line))
        due = 0.0
        with suppress(OSError):
            while data := await reader.read(BLOCK):
                late = self.weather.delay + self._chance.uniform(-1, 1) * self.weather.jitter
                due = max(due, time.monotonic() + late)
                await waiting.put((due, data))
        if line.is_torn:
            send.cancel()
        else:
            await waiting.put((due, b""))
            await send

    async def _send(
        self,
        waiting: asyncio.Queue[tuple[float, bytes]],
        writer: asyncio.StreamWriter,
        line: _Line,
    ) -> None:
        """Until the other side has ended. What cannot be written any more is taken all the same."""
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(due - time.monotonic())
            await self._flows.wait()
            if not data:
                writer.close()
                return
            if not line.is_torn and not line.is_dead:
                try:
                    await self._write(data, writer)
                except OSError:
                    line.abort()

    async def _write(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        while data:
            rate, size = self.weather.rate, len(data)
            if self.weather.slices:
                size = self._chance.randint(1, 50)
            elif rate:
                size = max(1, int(rate / 10))
            writer.write(data[:size])
            await writer.drain()
            data = data[size:]
            if rate:
                await asyncio.sleep(size / rate)
            elif self.weather.slices:
                await asyncio.sleep(0)


class _Line:
    """One connection: the players' side is near, the server's far."""

    def __init__(self, number: int, near: asyncio.StreamWriter, far: asyncio.StreamWriter) -> None:
        self.number = number
        self.near = near
        self.far = far
        self.is_torn = False
        self.is_dead = False
        for writer in (near, far):
            end = writer.get_extra_info("socket")
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def abort(self) -> None:
        self.is_dead = True
        for writer in (self.near, self.far):
            writer.transport.abort()
