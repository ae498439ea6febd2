"""The Redis relay: frames to and from other processes, one channel per topic.

A frame may be lost on the way, and after an outage it may come twice: the heartbeat's ``seq`` and
that of the frames tell the browser.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

import structlog
from redis.asyncio import ConnectionPool
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from tables import metrics

log = structlog.get_logger()

MAX_WAITING: Final = 10_000
"""Frames that may wait for Redis; what is more is dropped."""
AT_ONCE: Final = 500
"""Frames in one write, at most."""
SEND_ATTEMPTS: Final = 3
PATIENCE_SECONDS: Final = 5
"""So long Redis may take to answer."""
PING_SECONDS: Final = 5
RETRY_SECONDS: Final = 1
GOODBYE_SECONDS: Final = 1
ORIGIN_LENGTH: Final = 16

Deliver = Callable[[str, str], None]
"""Called with topic and text of a frame that another process has sent."""
OnFollowed = Callable[[set[str]], Awaitable[None]]
"""Awaited with topics of which everything is heard from now on, and maybe not all before."""


class Relay:
    """The connections of one process: one hears, one sends. To be used on the event loop alone.

    No method raises because of Redis: what goes wrong is logged, counted and tried again.
    redis-py has no types for two of its own functions that are called here.
    """

    def __init__(self, url: str, deliver: Deliver, on_followed: OnFollowed) -> None:
        self._deliver = deliver
        self._on_followed = on_followed
        self._origin = secrets.token_hex(ORIGIN_LENGTH // 2).encode()
        # What is tried again, and how long it may take, is known here; a timeout of redis-py for
        # each write makes a task for each write.
        self._pool = ConnectionPool.from_url(
            url, protocol=2, driver_info=None, retry=Retry(NoBackoff(), 0), socket_timeout=None
        )
        # Channels are the same in all the databases of a Redis.
        database = self._pool.connection_kwargs.get("db", 0)
        self._prefix = f"blackjack:{database}:"
        self._outgoing: asyncio.Queue[tuple[str, str]] = asyncio.Queue(MAX_WAITING)
        self._wanted: set[str] = set()
        self._asked: set[str] = set()
        self._is_changed = asyncio.Event()
        self._confirmed: set[str] = set()
        self._is_confirmed = asyncio.Event()
        self._is_answered = True
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, topics: Iterable[str]) -> None:
        """Hear what is sent on ``topics``, and send, from now on."""
        self._wanted.update(topics)
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._send())]

    async def stop(self) -> None:
        """Hear and send nothing more, within :data:`GOODBYE_SECONDS`."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:  # one of them may wait for a Redis that does not answer
            await asyncio.wait(self._tasks, timeout=GOODBYE_SECONDS)

    def follow(self, topic: str) -> None:
        """Hear what other processes send on ``topic``."""
        self._wanted.add(topic)
        self._is_changed.set()

    def unfollow(self, topic: str) -> None:
        """Hear it no more."""
        self._wanted.discard(topic)
        self._is_changed.set()

    def send(self, topic: str, text: str) -> None:
        """Have a frame sent after those that wait; one too many is dropped and counted."""
        try:
            self._outgoing.put_nowait((topic, text))
        except asyncio.QueueFull:
            log.warning("relay_full", topic=topic)
            metrics.RELAY_FULL.inc()

    # In

    async def _listen(self) -> None:
        """Hear on a connection as long as it lives, then on a new one."""
        while True:
            connection = self._connection()
            self._asked.clear()
            self._is_changed.set()
            self._is_answered = True
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await connection.connect()  # type: ignore[no-untyped-call]
                async with asyncio.TaskGroup() as together:
                    for work in (self._hear, self._ask, self._ping):
                        together.create_task(work(connection))
                    together.create_task(self._tell_followed())
            except Exception as error:
                log.warning("relay_receive_failed", error=_reason(error))
            finally:
                await _hang_up(connection)
            await asyncio.sleep(RETRY_SECONDS)

    async def _hear(self, connection: AbstractConnection) -> None:
        origin, prefix_length = self._origin, len(self._prefix)
        while True:
            told: Any = await connection.read_response(
                disable_decoding=True, timeout=math.inf, push_request=True
            )
            kind = told[0] if isinstance(told, list) else None
            if kind == b"message":
                if not told[2].startswith(origin):
                    self._take(told[1][prefix_length:], told[2][ORIGIN_LENGTH:])
            elif kind == b"subscribe":
                self._confirmed.add(told[1][prefix_length:].decode())
                self._is_confirmed.set()
            elif kind != b"unsubscribe":
                self._is_answered = True

    def _take(self, topic: bytes, text: bytes) -> None:
        try:
            self._deliver(topic.decode(), text.decode())
        except Exception:  # of one frame; the others are heard all the same
            log.exception("relay_frame_failed")

    async def _ask(self, connection: AbstractConnection) -> None:
        """Tell Redis what is to be heard, and what no more: all that has changed at once."""
        while True:
            await self._is_changed.wait()
            self._is_changed.clear()
            changes = (
                ("SUBSCRIBE", self._wanted - self._asked),
                ("UNSUBSCRIBE", self._asked - self._wanted),
            )
            self._asked = set(self._wanted)
            commands = [
                (order, *(self._prefix + topic for topic in topics))
                for order, topics in changes
                if topics
            ]
            if commands:
                await connection.send_packed_command(connection.pack_commands(commands))

    async def _ping(self, connection: AbstractConnection) -> None:
        """Ask whether the other end lives. It may have gone without a word."""
        while True:
            await asyncio.sleep(PING_SECONDS)
            if not self._is_answered:
                raise TimeoutError("no answer to a ping")
            self._is_answered = False
            async with asyncio.timeout(PATIENCE_SECONDS):
                await connection.send_command("PING")

    async def _tell_followed(self) -> None:
        while True:
            await self._is_confirmed.wait()
            self._is_confirmed.clear()
            topics, self._confirmed = self._confirmed, set()
            try:
                await self._on_followed(topics)
            except Exception as error:  # the heartbeat says the same a little later
                log.warning("relay_catch_up_failed", error=_reason(error))

    # Out

    async def _send(self) -> None:
        """Send what waits, all that there is in one write. Alone, so that the order is kept."""
        connection = self._connection()
        try:
            while True:
                frames = [await self._outgoing.get()]
                while len(frames) < AT_ONCE and not self._outgoing.empty():
                    frames.append(self._outgoing.get_nowait())
                await self._send_all(connection, frames)
        finally:
            await _hang_up(connection)

    async def _send_all(
        self, connection: AbstractConnection, frames: list[tuple[str, str]]
    ) -> None:
        commands = [
            ("PUBLISH", self._prefix + topic, self._origin + text.encode())
            for topic, text in frames
        ]
        for attempt in range(1, SEND_ATTEMPTS + 1):
            try:
                await _publish(connection, commands)
                return
            except Exception as error:
                await _hang_up(connection)
                if attempt == SEND_ATTEMPTS:  # the first one fails after every outage
                    lost = len(commands)
                    log.warning("relay_send_failed", frames=lost, error=_reason(error))
                    metrics.RELAY_SEND_FAILED.inc(lost)

    def _connection(self) -> AbstractConnection:
        connection: AbstractConnection
        connection = self._pool.make_connection()  # type: ignore[no-untyped-call]
        return connection


async def _publish(connection: AbstractConnection, commands: list[tuple[str, str, bytes]]) -> None:
    """Send all of them in one write; those that Redis has taken are no longer in the list."""
    taken = 0
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await connection.send_packed_command(connection.pack_commands(commands))
            while taken < len(commands):
                await connection.read_response(disable_decoding=True, timeout=math.inf)
                taken += 1
    finally:
        del commands[:taken]


async def _hang_up(connection: AbstractConnection) -> None:
    """Close without waiting for it."""
    try:
        await connection.disconnect(nowait=True)
    except Exception as error:
        log.info("relay_hang_up_failed", error=_reason(error))


def _reason(error: Exception) -> str:
    """What went wrong first, also in one of several tasks."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"  # redis-py's repr does not say what
