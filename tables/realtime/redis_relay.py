"""The Redis relay: frames to and from other processes, one channel per topic.

A frame may be lost on the way, and after an outage it may come twice: the heartbeat's ``seq`` and
that of the frames tell the browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import structlog
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from tables import metrics

log = structlog.get_logger()

MAX_WAITING: Final = 10_000
"""Frames that may wait for Redis; more are dropped."""
AT_ONCE: Final = 500
"""Frames in one write, at most."""
SEND_ATTEMPTS: Final = 3
PATIENCE_SECONDS: Final = 5
"""Time for an answer of Redis."""
PING_SECONDS: Final = 5
RETRY_SECONDS: Final = 1
OF_NOBODY: Final = "nobody"
"""A topic without messages."""
GOODBYE_SECONDS: Final = 1
ORIGIN_LENGTH: Final = 16

Deliver = Callable[[str, str], None]
"""Called with topic and text of a frame that another process has sent."""
OnFollowed = Callable[[set[str]], Awaitable[None]]
"""Awaited with topics that are subscribed from now on. Earlier frames may be missing."""


class Relay:
    """The connections of one process: one receives, one sends. For the event loop only.

    No method raises because of Redis: errors are logged, counted and tried again.
    """

    def __init__(self, url: str, deliver: Deliver, on_followed: OnFollowed) -> None:
        self._deliver = deliver
        self._on_followed = on_followed
        self._origin = secrets.token_hex(ORIGIN_LENGTH // 2).encode()
        # What is tried again, and how long it may take, is decided here: redis-py would reconnect
        # without a time limit, and its own timeout makes a task for each write.
        never = Retry(NoBackoff(), 0, supported_errors=())
        self._redis = Redis.from_url(
            url, protocol=2, driver_info=None, retry=never, socket_timeout=None
        )
        # Channels are the same in all the databases of a Redis.
        database = self._redis.connection_pool.connection_kwargs.get("db", 0)
        self._prefix = f"blackjack:{database}:"
        self._outgoing: asyncio.Queue[tuple[str, str]] = asyncio.Queue(MAX_WAITING)
        self._topics: set[str] = set()
        self._is_changed = asyncio.Event()
        self._confirmed: set[str] = set()
        self._is_confirmed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._is_away = False
        """Whether an outage was logged, and not yet its end."""
        self.is_connected = False
        """Whether the receiving connection is open. It is tried out every few seconds."""

    def start(self, topics: Iterable[str]) -> None:
        """Subscribe to ``topics``, and begin to send."""
        self._topics.update(topics)
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._send())]

    async def stop(self) -> None:
        """Close both connections, within :data:`GOODBYE_SECONDS`."""
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(Exception):  # a Redis that does not answer, or has gone
            async with asyncio.timeout(GOODBYE_SECONDS):
                await asyncio.gather(*self._tasks, return_exceptions=True)
                await self._redis.aclose()

    def follow(self, topic: str) -> None:
        """Deliver what other processes send on ``topic``."""
        self._topics.add(topic)
        self._is_changed.set()

    def unfollow(self, topic: str) -> None:
        """End that."""
        self._topics.discard(topic)
        self._is_changed.set()

    def send(self, topic: str, text: str) -> None:
        """Send a frame after those that wait. If too many wait, it is dropped and counted."""
        try:
            self._outgoing.put_nowait((topic, text))
        except asyncio.QueueFull:
            log.warning("relay_full", topic=topic)
            metrics.RELAY_FULL.inc()

    # In

    async def _listen(self) -> None:
        """Receive on a connection until it breaks, then on a new one. An outage is logged at its begin and
        at its end.
        """
        while True:
            try:
                # In a task of its own: Python 3.11 counts one whose TaskGroup has failed as cancelled, and
                # then asyncio.timeout would end this loop.
                await asyncio.create_task(self._receive_until_broken())
            except Exception as error:
                if not self._is_away:
                    log.warning("redis_out_of_reach", error=_root_cause(error))
                self._is_away = True
            self.is_connected = False
            await asyncio.sleep(RETRY_SECONDS)

    async def _receive_until_broken(self) -> None:
        async with self._redis.pubsub() as pubsub:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await pubsub.connect()
                # The system accepts connections for a Redis that hangs: it has to answer.
                await pubsub.subscribe(f"{self._prefix}{OF_NOBODY}")
                await pubsub.get_message(timeout=None)
            self.is_connected = True
            if self._is_away:
                log.warning("redis_back")
            self._is_away = False
            async with asyncio.TaskGroup() as together:
                for work in (
                    self._receive(pubsub),
                    self._update_subscriptions(pubsub),
                    self._report_subscribed(),
                ):
                    together.create_task(work)

    async def _receive(self, pubsub: PubSub) -> None:
        """Deliver messages. After a silence, ping Redis: a connection may break unnoticed."""
        prefix_length = len(self._prefix)
        while True:
            message = await pubsub.get_message(timeout=PING_SECONDS)
            if message is None:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await pubsub.ping()
                    message = await pubsub.get_message(timeout=None)
            if message["type"] == "message":
                self._handle_message(message["channel"][prefix_length:], message["data"])
            elif message["type"] == "subscribe":
                self._confirmed.add(message["channel"][prefix_length:].decode())
                self._is_confirmed.set()

    def _handle_message(self, topic: bytes, data: bytes) -> None:
        if data.startswith(self._origin):
            return
        try:
            self._deliver(topic.decode(), data[ORIGIN_LENGTH:].decode())
        except Exception:  # of one frame; the others are still delivered
            log.exception("relay_frame_failed")

    async def _update_subscriptions(self, pubsub: PubSub) -> None:
        """Subscribe and unsubscribe, all changed topics at once."""
        subscriptions: set[str] = set()
        while True:
            topics = {self._prefix + topic for topic in self._topics}
            if new := topics - subscriptions:
                await pubsub.subscribe(*new)
            if old := subscriptions - topics:
                await pubsub.unsubscribe(*old)
            subscriptions = topics
            await self._is_changed.wait()
            self._is_changed.clear()

    async def _report_subscribed(self) -> None:
        while True:
            await self._is_confirmed.wait()
            self._is_confirmed.clear()
            topics, self._confirmed = self._confirmed, set()
            try:
                await self._on_followed(topics)
            except Exception as error:  # the next heartbeat replaces it
                log.warning("relay_catch_up_failed", error=_root_cause(error))

    # Out

    async def _send(self) -> None:
        """Send the queue in one write. Only this task sends, so the order is preserved."""
        while True:
            frames = [await self._outgoing.get()]
            while len(frames) < AT_ONCE and not self._outgoing.empty():
                frames.append(self._outgoing.get_nowait())
            await self._send_all(frames)

    async def _send_all(self, frames: list[tuple[str, str]]) -> None:
        for attempt in range(1, SEND_ATTEMPTS + 1):
            pipeline = self._redis.pipeline(transaction=False)
            for topic, text in frames:
                pipeline.publish(self._prefix + topic, self._origin + text.encode())
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await pipeline.execute()
                return
            except Exception as error:
                if attempt == SEND_ATTEMPTS:  # the first one fails after every outage
                    if self.is_connected:  # otherwise the outage is logged
                        log.warning(
                            "relay_send_failed", frames=len(frames), error=_root_cause(error)
                        )
                    metrics.RELAY_SEND_FAILED.inc(len(frames))


def _root_cause(error: Exception) -> str:
    """The first error, also that of one of several tasks."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"  # redis-py's repr has no reason
