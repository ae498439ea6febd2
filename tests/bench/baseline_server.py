"""The floor: a bare ASGI application that writes the house's rows and tells three sockets.

On a message at a table's address one writer thread writes what the house wrote for that table's
next command, with plain sqlite3 or psycopg, a transaction a command; after the commit the event
loop sends the frame that the house sent. No reads, no rules, no Django, no Channels.

``python -m tests.bench.baseline_server uvicorn`` serves it by the same server as ``manage.py serve``.
``GET /fresh`` begins anew on a copy of the database.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.bench import recording
from tests.bench.raw_databases import Raw, Transaction, raw_database

Send = Callable[[dict[str, Any]], Awaitable[None]]
OVER = '{"t":"over"}'
RESYNC = '{"t":"resync"}'
FRESH = "/fresh"


class Writing:
    """The writer thread, and what it is to write for each table."""

    def __init__(self, path: Path, database: Raw, tell: Callable[[int, str], None]) -> None:
        recorded = recording.read(path)
        self.snapshots = recorded.snapshots
        self._frames = {
            table: [command.frame for command in commands]
            for table, commands in recorded.commands.items()
        }
        self._transactions: dict[int, list[Transaction]] = {
            table: [database.transaction(command.writes) for command in commands]
            for table, commands in recorded.commands.items()
        }
        self._next: dict[int, int] = defaultdict(int)
        self._database = database
        self._tell = tell
        self._waiting: queue.SimpleQueue[int | threading.Event] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def submit(self, table: int) -> None:
        """Write the next command of this table, then tell its sockets."""
        self._waiting.put(table)

    def begin_anew(self) -> threading.Event:
        """Forget what was written; the event is set when that is done."""
        event = threading.Event()
        self._waiting.put(event)
        return event

    def _run(self) -> None:
        self._database.begin_anew()
        while True:
            order = self._waiting.get()
            if isinstance(order, threading.Event):
                self._next.clear()
                self._database.begin_anew()
                order.set()
                continue
            number = self._next[order]
            if number == len(self._frames[order]):
                self._tell(order, OVER)
                continue
            self._next[order] += 1
            self._database.write(self._transactions[order][number])
            self._tell(order, self._frames[order][number])


class Floor:
    """The sockets of each table, and the thread that writes for them."""

    def __init__(self) -> None:
        self._sockets: dict[int, list[Send]] = defaultdict(list)
        self._telling: set[asyncio.Task[None]] = set()
        self._writing: Writing | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            if scope["path"] == FRESH:
                await self._begin_anew()
            start = {"type": "http.response.start", "status": 200, "headers": []}
            await send(start)
            await send({"type": "http.response.body", "body": b"ok"})
        else:
            await self._serve(int(scope["path"].split("/")[3]), receive, send)

    async def _serve(self, table: int, receive: Any, send: Send) -> None:
        writing = self._started()
        await receive()
        await send({"type": "websocket.accept"})
        self._sockets[table].append(send)
        snapshot = {"type": "websocket.send", "text": writing.snapshots[table]}
        await send(snapshot)
        while (message := await receive())["type"] == "websocket.receive":
            if message["text"] == RESYNC:
                await send(snapshot)
            else:
                writing.submit(table)
        self._sockets[table].remove(send)

    async def _begin_anew(self) -> None:
        writing = self._started()
        await asyncio.to_thread(writing.begin_anew().wait)

    def _started(self) -> Writing:
        if self._writing is None:
            loop = asyncio.get_running_loop()

            def tell(table: int, frame: str) -> None:
                loop.call_soon_threadsafe(self._tell_soon, table, frame)

            self._writing = Writing(Path(os.environ["FLOOR_RECORDING"]), raw_database(), tell)
        return self._writing

    def _tell_soon(self, table: int, frame: str) -> None:
        task = asyncio.create_task(self._tell(table, frame))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, table: int, frame: str) -> None:
        message = {"type": "websocket.send", "text": frame}
        for send in self._sockets[table]:
            await send(message)


async def _lifespan(receive: Any, send: Send) -> None:
    while (message := await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": f"{message['type']}.complete"})


def main(program: str) -> None:
    """Serve with the house's own daphne, or its own uvicorn."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    from tests.bench import no_limits

    no_limits.of_frames()
    place: dict[str, Any] = {"host": "127.0.0.1", "port": int(os.environ["PORT"])}
    if program == "uvicorn":
        from tables.servers.uvicorn_server import UvicornServer

        UvicornServer(Floor(), on_ready=lambda: None, **place).serve_until_stopped()
        return
    from tables.servers.daphne_server import DaphneServer

    async def nothing() -> None:
        """There is nothing to finish."""

    DaphneServer(Floor(), on_ready=lambda: None, finish=nothing, **place).run()


if __name__ == "__main__":
    main(sys.argv[1])
