"""The load: tables of three seats, each a command at a time, as fast as it goes.

The next command of a table is sent when all three seats have heard of the one before. The same
code plays at the product and at the floors, whose frames are recorded ones of the product.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct
from msgspec.json import Decoder

from tests.bench.busy_tables import BusyTable
from tests.bench.light_socket import LightSocket

STAKE = 1000
HITS_BELOW = 12
PATIENCE_SECONDS = 20
NO_END = 10**9
"""So many commands nobody plays in one run."""
TAG = b'{"t":"%s"'
"""How a frame begins."""
CHANGED, OVER, ERR = (TAG % kind for kind in (b"changed", b"over", b"err"))


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


class LoadedTable:
    """One table and the sockets of its three seats.

    It plays in the callbacks of its sockets: tasks and queues would take more than the frames.
    """

    def __init__(self, sockets: Sequence[LightSocket]) -> None:
        self.sockets = sockets
        self.times: list[float] = []
        self._table: Table | None = None
        self._seq = 0
        self._until = 0.0
        self._commands = 0
        self._began = 0.0
        self._missing = 0
        self._finished: asyncio.Future[bool] | None = None
        self._waiter: tuple[bytes, asyncio.Future[bytes]] | None = None
        self._remaining_frames = 0
        self.heard_at = 0.0
        for socket in sockets:
            socket.on_text = self._hear

    async def look(self) -> None:
        """Ask for the table and hear how it is: something may have happened since the last run."""
        for socket in self.sockets:
            future = self.next_text(b"snapshot")
            socket.send('{"t":"resync"}')
            frame = decode(await future)
            self._seq, self._table = frame.seq, frame.table

    def play(self, until: float, commands: int) -> asyncio.Future[bool]:
        """Play until this time, or so many commands. The result is ``False`` where the floor has
        nothing more to write.
        """
        self.times = []
        self._until, self._commands = until, commands
        self._finished = asyncio.get_running_loop().create_future()
        self._play_next()
        return self._finished

    def stop(self) -> None:
        """Finish with the command that is on its way."""
        self._until = 0.0

    def next_text(self, kind: bytes, times: int = 1) -> asyncio.Future[bytes]:
        """The next frame of this kind at any seat, or the last of so many."""
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiter, self._remaining_frames = (TAG % kind, future), times
        return future

    def _play_next(self) -> None:
        assert self._finished is not None
        assert self._table is not None
        if len(self.times) >= self._commands or time.perf_counter() > self._until:
            self._finished.set_result(True)
            return
        seat, kind = next_command(self._table)
        stake = f',"stake":{STAKE}' if kind == "bet" else ""
        text = f'{{"t":"{kind}","id":"{uuid.uuid4()}","turn":{self._table.turn}{stake}}}'
        self._missing = len(self.sockets)
        self._began = time.perf_counter()
        self.sockets[seat - 1].send(text)

    def _hear(self, text: bytes) -> None:
        if text.startswith(CHANGED):
            self._missing -= 1
            if self._missing == 0:
                self._end_command(text)
        self.heard_at = time.perf_counter()
        if self._waiter is not None and text.startswith(self._waiter[0]):
            self._remaining_frames -= 1
            if self._remaining_frames == 0:
                _, future = self._waiter
                self._waiter = None
                future.set_result(text)
        is_playing = self._finished is not None and not self._finished.done()
        if is_playing and text.startswith((OVER, ERR)):
            assert self._finished is not None
            if text.startswith(ERR):
                self._finished.set_exception(RuntimeError(text.decode()))
            else:
                self._finished.set_result(False)

    def _end_command(self, text: bytes) -> None:
        self.times.append(time.perf_counter() - self._began)
        frame = decode(text)
        if frame.seq != self._seq + 1:
            assert self._finished is not None
            self._finished.set_exception(RuntimeError(f"{frame.seq} after {self._seq}"))
            return
        self._seq, self._table = frame.seq, frame.table
        self._play_next()


def run_load(load: Coroutine[Any, Any, None]) -> None:
    """Run it in uvloop's event loop, the cheapest; where that is not installed, in asyncio's."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        new_event_loop = None
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(load)


class Load:
    """All tables of one side, their sockets open."""

    def __init__(self, tables: list[LoadedTable]) -> None:
        self.tables = tables

    @classmethod
    async def open(
        cls, busy: Sequence[BusyTable], urls: Sequence[str], *, is_spread: bool = True
    ) -> Load:
        """Sockets of all seats; those of one table are spread over the servers with these URLs, or
        at one of them.
        """
        tables = []
        for number, table in enumerate(busy):
            sockets = [
                await LightSocket.open(url, f"/ws/tables/{table.table_id}/", cookie)
                for seat, cookie in enumerate(table.cookies)
                for url in [urls[(number + seat * is_spread) % len(urls)]]
            ]
            tables.append(LoadedTable(sockets))
        return cls(tables)

    async def look(self) -> None:
        """Have every seat hear how its table is."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            for table in self.tables:
                await table.look()

    async def hear(self, kind: bytes) -> None:
        """Wait for a frame of this kind at every seat."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.gather(
                *(table.next_text(kind, len(table.sockets)) for table in self.tables)
            )

    async def hear_out(self, quiet_seconds: float) -> None:
        """Hear what is on its way to every seat, until nothing more comes for so long."""
        began = time.perf_counter()
        while True:
            last = max(began, *(table.heard_at for table in self.tables))
            remaining = last + quiet_seconds - time.perf_counter()
            if remaining <= 0:
                return
            await asyncio.sleep(remaining)

    async def run(self, seconds: float, commands: int = NO_END) -> Run:
        """Play so long, or so many commands at each table; less where one has no more to write."""
        began = time.perf_counter()
        async with asyncio.timeout(seconds + PATIENCE_SECONDS):
            playing = [table.play(began + seconds, commands) for table in self.tables]
            for finished in asyncio.as_completed(playing):
                if not await finished:  # and the others finish what they are at
                    for table in self.tables:
                        table.stop()
        return Run(time.perf_counter() - began, [table.times for table in self.tables])

    async def close(self) -> None:
        sockets = [socket for table in self.tables for socket in table.sockets]
        await asyncio.gather(*(socket.wait_closed() for socket in sockets))
