"""The sockets of this process by topic, and the other processes that have sockets of their own.

A frame is encoded once, written to each local socket as it is, and carried to the other processes
by one message of the channel layer each. That message may be lost: the heartbeat's ``seq`` tells
the browser, which asks for the table again.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable
from functools import partial
from typing import Any, Final, Protocol

import structlog
from channels.layers import BaseChannelLayer, InMemoryChannelLayer, get_channel_layer

from tables import mailbox, metrics
from tables.models import Table

log = structlog.get_logger()

MAX_WAITING_RELAYS: Final = 10_000
GOODBYE_SECONDS: Final = 3
RELAY_GOODBYE_SECONDS: Final = 1
SEND_ATTEMPTS: Final = 3


class OnMove(Protocol):
    """Called when a socket comes to a topic or goes."""

    def __call__(self, topic: str, *, is_coming: bool) -> None: ...


class Socket(Protocol):
    """What the hub needs of a socket."""

    user_id: int | None
    """Whose page it is; ``None`` for somebody who is not logged in."""
    session_key: str | None
    """Under which session the page was opened."""

    def push(self, text: str) -> None:
        """Send a frame, without waiting for it."""

    def hang_up(self, code: int) -> None:
        """Close the socket with this code."""

    async def wait_closed(self) -> None:
        """Wait until the other side has answered the close, or is gone."""

    def may_see(self, table: Table) -> bool:
        """Whether whose page it is may look at this table."""


class Hub:
    """The sockets of one process. Everything but :meth:`publish_soon` runs on the event loop."""

    def __init__(self) -> None:
        self._open: set[Socket] = set()
        self._sockets: dict[str, set[Socket]] = {}
        self._goodbye: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._relay: _Relay | None = None
        self.on_move: OnMove | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Serve the sockets of ``loop`` from now on."""
        self._loop, self._goodbye = loop, None
        layer = get_channel_layer()
        if layer is not None and not isinstance(layer, InMemoryChannelLayer):
            self._relay = _Relay(layer, self.publish_here)
            self._relay.start(self.topics())

    async def stop(self, code: int) -> None:
        """Close all sockets with ``code``, those to come too, and serve no loop any more."""
        self._goodbye = code
        everybody = set(self._open)
        for socket in everybody:
            socket.hang_up(code)
        goodbyes = [asyncio.create_task(socket.wait_closed()) for socket in everybody]
        if goodbyes:
            await asyncio.wait(goodbyes, timeout=GOODBYE_SECONDS)
        if self._relay is not None:
            await self._relay.stop()
        self._open.clear()
        self._sockets.clear()
        self._loop = self._relay = None

    def topics(self) -> list[str]:
        """The topics that a socket of this process follows."""
        return list(self._sockets)

    def sockets_at(self, topic: str) -> set[Socket]:
        """The sockets of this process that follow ``topic``."""
        return set(self._sockets.get(topic, ()))

    def count(self) -> int:
        """How many sockets this process serves, the doorkeeper among them."""
        return len(self._open)

    def session_keys(self) -> set[str]:
        """The sessions of everybody who is logged in and has a page open in this process."""
        return {socket.session_key for socket in self._open if socket.session_key}

    def hang_up_on(self, session_keys: set[str], code: int) -> None:
        """Close the sockets of these sessions."""
        for socket in tuple(self._open):
            if socket.session_key in session_keys:
                socket.hang_up(code)

    def welcome(self, socket: Socket) -> None:
        """Know of ``socket``, which may be told from now on that it is over."""
        if self._goodbye is not None:
            socket.hang_up(self._goodbye)
        else:
            self._open.add(socket)

    def join(self, socket: Socket, topics: Iterable[str]) -> None:
        """Let ``socket`` have what is published on ``topics``, unless it was hung up on."""
        if socket not in self._open:
            return
        for topic in topics:
            if topic not in self._sockets and self._relay is not None:
                self._relay.follow(topic)
            self._sockets.setdefault(topic, set()).add(socket)
            self._tell_move(topic, is_coming=True)

    def leave(self, socket: Socket) -> None:
        """Forget ``socket``; harmless when it is not known."""
        self._open.discard(socket)
        for topic, sockets in list(self._sockets.items()):
            if socket not in sockets:
                continue
            sockets.remove(socket)
            if not sockets:
                del self._sockets[topic]
                if self._relay is not None:
                    self._relay.unfollow(topic)
            self._tell_move(topic, is_coming=False)

    def _tell_move(self, topic: str, *, is_coming: bool) -> None:
        if self.on_move is not None:
            self.on_move(topic, is_coming=is_coming)

    def publish_soon(self, frames: list[tuple[str, str]]) -> None:
        """Publish ``(topic, text)`` frames in order. To be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            mailbox.of(loop).post(partial(self.publish, frames))

    def publish(self, frames: list[tuple[str, str]]) -> None:
        """Send ``(topic, text)`` frames in order, here and to the other processes."""
        for topic, text in frames:
            self.publish_here(topic, text)
            if self._relay is not None:
                self._relay.send(topic, text)

    def keep_alive(self) -> None:
        """Join the channel layer's groups again: a layer may have dropped them."""
        if self._relay is not None:
            for topic in self.topics():
                self._relay.follow(topic)

    def publish_here(self, topic: str, text: str) -> None:
        """Send a frame to the sockets of this process alone."""
        for socket in tuple(self._sockets.get(topic, ())):
            socket.push(text)


class _Relay:
    """Frames to and from the other processes. One task sends, so that the order is kept."""

    def __init__(self, layer: BaseChannelLayer, deliver: Any) -> None:
        self._layer = layer
        self._deliver = deliver
        self._origin = uuid.uuid4().hex
        self._outgoing: asyncio.Queue[tuple[str, str, str | None]] = asyncio.Queue(
            MAX_WAITING_RELAYS
        )
        self._channel: asyncio.Future[str] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, topics: Iterable[str]) -> None:
        self._channel = asyncio.get_running_loop().create_future()
        self._tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._send())]
        for topic in topics:
            self.follow(topic)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:  # one of them may wait for a Redis that does not answer
            await asyncio.wait(self._tasks, timeout=RELAY_GOODBYE_SECONDS)

    def follow(self, topic: str) -> None:
        self._put(("follow", topic, None))

    def unfollow(self, topic: str) -> None:
        self._put(("unfollow", topic, None))

    def send(self, topic: str, text: str) -> None:
        self._put(("send", topic, text))

    def _put(self, order: tuple[str, str, str | None]) -> None:
        try:
            self._outgoing.put_nowait(order)
        except asyncio.QueueFull:
            log.warning("relay_full", topic=order[1])
            metrics.RELAY_FULL.inc()

    async def _receive(self) -> None:
        assert self._channel is not None
        while True:
            try:
                if not self._channel.done():
                    self._channel.set_result(await self._layer.new_channel())
                message = await self._layer.receive(self._channel.result())
            except Exception as error:
                log.warning("relay_receive_failed", error=repr(error))
                await asyncio.sleep(1)
                continue
            if message["origin"] != self._origin:
                self._deliver(message["topic"], message["text"])

    async def _send(self) -> None:
        assert self._channel is not None
        channel = await self._channel
        while True:
            order = await self._outgoing.get()
            for attempt in range(1, SEND_ATTEMPTS + 1):
                try:
                    await self._carry_out(channel, *order)
                    break
                except Exception as error:
                    # After an outage, each connection of the pool fails once.
                    if attempt == SEND_ATTEMPTS:
                        log.warning("relay_send_failed", topic=order[1], error=repr(error))
                        metrics.RELAY_SEND_FAILED.inc()

    async def _carry_out(self, channel: str, order: str, topic: str, text: str | None) -> None:
        if order == "follow":
            await self._layer.group_add(topic, channel)
        elif order == "unfollow":
            await self._layer.group_discard(topic, channel)
        else:
            frame = {"type": "hub.frame", "origin": self._origin, "topic": topic, "text": text}
            await self._layer.group_send(topic, frame)


hub: Final = Hub()
"""The one of this process."""
