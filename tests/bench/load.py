"""The load: tables of three seats, each a command at a time, as fast as it goes.

The next command of a table is sent when all three seats have heard of the one before. The same
code plays at the product and at the floor, whose frames are recorded ones of the product.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.json import Decoder
from websockets.asyncio.client import ClientConnection, connect

from tests.bench.busy_tables import BusyTable

STAKE = 1000
HITS_BELOW = 12
PATIENCE_SECONDS = 20
NO_END = 10**9
"""So many commands nobody plays in one run."""


class Hand(Struct):
    total: int


class Seat(Struct):
    seat: int
    stake: int | None = None
    hands: list[Hand] = []


class Asked(Struct):
    seat: int
    hand: int


class Table(Struct):
    turn: int
    seats: list[Seat]
    asked: Asked | None = None


class Frame(Struct):
    """What a player has to know of a frame in order to play on."""

    t: str
    seq: int = 0
    table: Table | None = None


decode = Decoder(Frame).decode


class Over(Exception):
    """The floor has nothing more to write for a table."""


@dataclass
class Run:
    """``times``: from each command to the last of three seats, in seconds, by table."""

    seconds: float
    times: list[list[float]]

    @property
    def commands(self) -> int:
        return sum(map(len, self.times))

    @property
    def all_times(self) -> list[float]:
        return [each for times in self.times for each in times]


def next_command(table: Any) -> tuple[int, str]:
    """Which seat is to do what: the load knows no other moves than these three."""
    if table.asked is None:
        return next(seat.seat for seat in table.seats if seat.stake is None), "bet"
    hand = table.seats[table.asked.seat - 1].hands[table.asked.hand - 1]
    return table.asked.seat, "hit" if hand.total < HITS_BELOW else "stand"


@dataclass
class LoadedTable:
    """One table and the sockets of its three seats."""

    sockets: Sequence[ClientConnection]
    seq: int = 0
    table: Table | None = None
    times: list[float] = field(default_factory=list)

    async def look(self) -> None:
        """Ask for the table and hear how it is: something may have happened since the last run."""
        for socket in self.sockets:
            await socket.send('{"t":"resync"}')
            frame = await self.heard(socket, "snapshot")
            self.seq, self.table = frame.seq, frame.table

    async def play(self, is_over: Callable[[], bool], commands: int) -> None:
        """Play until it is over, or so many commands."""
        self.times = []
        while len(self.times) < commands and not is_over():
            await self._one_command()

    async def _one_command(self) -> None:
        assert self.table is not None
        seat, kind = next_command(self.table)
        stake = f',"stake":{STAKE}' if kind == "bet" else ""
        text = f'{{"t":"{kind}","id":"{uuid.uuid4()}","turn":{self.table.turn}{stake}}}'
        began = time.perf_counter()
        await self.sockets[seat - 1].send(text)
        for socket in self.sockets:
            frame = await self.heard(socket, "changed")
        self.times.append(time.perf_counter() - began)
        assert frame.seq == self.seq + 1, (frame.seq, self.seq)
        self.seq, self.table = frame.seq, frame.table

    async def heard(self, socket: ClientConnection, kind: str) -> Frame:
        while True:
            text = await socket.recv()
            frame = decode(text)
            if frame.t == kind:
                return frame
            if frame.t == "err":
                raise RuntimeError(text)
            if frame.t == "over" and kind == "changed":
                raise Over


class Load:
    """All tables of one side, their sockets open."""

    def __init__(self, tables: list[LoadedTable]) -> None:
        self.tables = tables

    @classmethod
    async def open(cls, busy: Sequence[BusyTable], urls: Sequence[str]) -> Load:
        """Sockets of all seats; those of one table are spread over the servers with these URLs."""
        tables = []
        for number, table in enumerate(busy):
            sockets = [
                await connect(
                    f"{url.replace('http', 'ws', 1)}/ws/tables/{table.table_id}/",
                    origin=url,  # type: ignore[arg-type]
                    additional_headers={"Cookie": cookie},
                    compression=None,
                    max_queue=None,
                )
                for seat, cookie in enumerate(table.cookies)
                for url in [urls[(number + seat) % len(urls)]]
            ]
            tables.append(LoadedTable(sockets))
        return cls(tables)

    async def look(self) -> None:
        """Have every seat hear how its table is."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            for table in self.tables:
                await table.look()

    async def hear(self, kind: str) -> None:
        """Wait for a frame of this kind at every seat."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            for table in self.tables:
                for socket in table.sockets:
                    await table.heard(socket, kind)

    async def hear_out(self, quiet_seconds: float) -> None:
        """Hear what is on its way to every seat, until nothing more comes for so long."""

        async def hear(socket: ClientConnection) -> None:
            with suppress(TimeoutError):
                while True:
                    async with asyncio.timeout(quiet_seconds):
                        await socket.recv()

        await asyncio.gather(*(hear(s) for table in self.tables for s in table.sockets))

    async def run(self, seconds: float, commands: int = NO_END) -> Run:
        """Play so long, or so many commands at each table; less where one has no more to write."""
        began = time.perf_counter()
        until = began + seconds

        async def play(table: LoadedTable) -> None:
            nonlocal until
            try:
                await table.play(lambda: time.perf_counter() > until, commands)
            except Over:
                until = began  # and the others finish what they are at

        async with asyncio.timeout(seconds + PATIENCE_SECONDS):
            async with asyncio.TaskGroup() as group:
                for table in self.tables:
                    group.create_task(play(table))
        return Run(time.perf_counter() - began, [table.times for table in self.tables])

    async def close(self) -> None:
        for table in self.tables:
            for socket in table.sockets:
                await socket.close()
