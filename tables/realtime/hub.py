"""The hub: sockets of this process by topic, and the relay to other processes.

A frame is encoded once and written to each local socket; the relay sends it to other processes, if
there are any.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Final, Protocol

import structlog
from django.conf import settings

from tables.models import Table
from tables.protocol.frames import CloseCode
from tables.protocol.topics import parse_table
from tables.state import rooms

if TYPE_CHECKING:
    from tables.realtime.redis_relay import Relay

log = structlog.get_logger()

GOODBYE_SECONDS: Final = 3
_ERRORS: Final = (Exception, asyncio.CancelledError)
"""Errors of one socket, which are not to reach the next ones. An eager send runs in the current task,
hence also a cancelled one."""


class OnMove(Protocol):
    """Called when a socket joins or leaves a topic."""

    def __call__(self, topic: str, *, is_coming: bool) -> None: ...


class Socket(Protocol):
    """The interface of the socket of an open page, for the hub."""

    user_id: int | None
    """The user of the page; ``None`` without a login."""
    session_key: str | None
    """The session of the page."""
    is_in_sight: bool
    """Whether somebody may be looking at the page."""
    address: str | None
    """The client's address."""

    def push(self, text: str) -> None:
        """Send a frame, without waiting for it."""

    def close_socket(self, code: int) -> None:
        """Close the socket with this code."""

    async def wait_closed(self) -> None:
        """Wait until the browser has answered the close or is disconnected."""

    def may_see(self, table: Table) -> bool:
        """Whether the user of this page may see the table."""


class Hub:
    """The sockets of one process. Not thread-safe: use it on the event loop."""

    def __init__(self) -> None:
        self._open: dict[Socket, list[str]] = {}
        self._sockets: dict[str, set[Socket]] = {}
        self._handlers: dict[str, Callable[[str], None]] = {}
        self._goodbye: int | None = None
        self._relay: Relay | None = None
        self.on_move: OnMove | None = None
        self.on_foreign_frame: Callable[[int, str], None] | None = None
        """Called with the table and the text of a frame of another process, once it is sent."""
        self.on_followed: Callable[[set[str]], Awaitable[None]] | None = None
        """Awaited with topics on which frames of other processes may have been missed."""

    def start(self) -> None:
        """Start to serve the sockets of the running loop."""
        self._goodbye = None
        if settings.REDIS_URL:
            from tables.realtime.redis_relay import (
                Relay,  # its driver is not installed for one process alone
            )

            self._relay = Relay(settings.REDIS_URL, self._deliver, self._resync)
            self._relay.start(self.topics())

    async def stop(self, code: int) -> None:
        """Close all sockets, and later ones, with ``code``; stop the relay."""
        self._goodbye = code
        everybody = set(self._open)
        self.close_sockets(everybody, code)
        goodbyes = [asyncio.create_task(socket.wait_closed()) for socket in everybody]
        if goodbyes:
            await asyncio.wait(goodbyes, timeout=GOODBYE_SECONDS)
        if self._relay is not None:
            await self._relay.stop()
        self._open.clear()
        self._sockets.clear()
        self._handlers.clear()
        self._relay = None

    @property
    def is_relay_connected(self) -> bool | None:
        """Whether Redis answers; ``None`` without one."""
        return None if self._relay is None else self._relay.is_connected

    def topics(self) -> list[str]:
        """The topics with sockets or a handler of this process."""
        return list(self._sockets | self._handlers)

    def get_sockets(self, topic: str) -> set[Socket]:
        """The sockets of this process that follow ``topic``."""
        return set(self._sockets.get(topic, ()))

    def count(self) -> int:
        """The number of open pages of this process."""
        return len(self._open)

    def session_keys(self) -> set[str]:
        """The session keys of all open pages with a login in this process."""
        return {socket.session_key for socket in self._open if socket.session_key}

    def close_sockets(self, sockets: Iterable[Socket], code: int) -> None:
        """Close these sockets; an error of one does not affect the others."""
        for socket in tuple(sockets):
            try:
                socket.close_socket(code)
            except _ERRORS:
                log.exception("socket_failed", user=socket.user_id)

    def close_session_sockets(self, session_keys: set[str], code: int) -> None:
        """Close the sockets of these sessions."""
        of_them = [socket for socket in self._open if socket.session_key in session_keys]
        self.close_sockets(of_them, code)

    def close_addresses(self, is_closed: Callable[[str | None], bool], code: int) -> None:
        """Close the sockets whose address is one of these."""
        self.close_sockets([one for one in self._open if is_closed(one.address)], code)

    def register(self, socket: Socket) -> None:
        """Register a socket; during a stop, close it at once."""
        if self._goodbye is not None:
            socket.close_socket(self._goodbye)
        else:
            self._open[socket] = []

    def subscribe(self, topic: str, handle: Callable[[str], None]) -> None:
        """Call ``handle`` with the text of each message of a topic, of this process and of others."""
        self._follow(topic)
        self._handlers[topic] = handle

    def join(self, socket: Socket, topics: Iterable[str]) -> None:
        """Subscribe a socket to topics, unless it is closed."""
        if socket not in self._open:
            return
        for topic in topics:
            self._follow(topic)
            self._sockets.setdefault(topic, set()).add(socket)
            self._open[socket].append(topic)
            self._notify_move(topic, is_coming=True)

    def _follow(self, topic: str) -> None:
        is_new = topic not in self._sockets and topic not in self._handlers
        if is_new and self._relay is not None:
            self._relay.follow(topic)

    def leave(self, socket: Socket) -> None:
        """Remove a socket; no effect if it is unknown."""
        for topic in self._open.pop(socket, ()):
            sockets = self._sockets[topic]
            sockets.discard(socket)
            if not sockets:
                del self._sockets[topic]
                if self._relay is not None and topic not in self._handlers:
                    self._relay.unfollow(topic)
            self._notify_move(topic, is_coming=False)

    def note_sight(self, topic: str) -> None:
        """Note that a page came into sight or out of it."""
        self._notify_move(topic, is_coming=False)  # seconds later: it may change often

    def _notify_move(self, topic: str, *, is_coming: bool) -> None:
        if self.on_move is not None:
            self.on_move(topic, is_coming=is_coming)

    def publish(self, frames: list[tuple[str, str]]) -> None:
        """Send ``(topic, text)`` frames in order, here and to the other processes."""
        for topic, text in frames:
            self.publish_local(topic, text)
            if self._relay is not None:
                self._relay.send(topic, text)

    def publish_local(self, topic: str, text: str) -> None:
        """Send a frame to the sockets and the handler of this process. A socket that fails is closed."""
        self.send_to(self._sockets.get(topic, ()), text)
        if (handle := self._handlers.get(topic)) is not None:
            try:
                handle(text)
            except Exception:
                log.exception("handler_failed", topic=topic)

    def send_to(self, sockets: Iterable[Socket], text: str) -> None:
        """Send a frame to these sockets. One that fails is closed."""
        for socket in tuple(sockets):
            try:
                socket.push(text)
            except _ERRORS:
                log.exception("socket_failed", user=socket.user_id)
                self.close_sockets([socket], CloseCode.TRY_LATER)

    def _deliver(self, topic: str, text: str) -> None:
        """Pass on a frame of another process."""
        table_id = parse_table(topic)
        if table_id is not None:
            rooms.note_change_elsewhere(table_id)
        self.publish_local(topic, text)
        if table_id is not None and self.on_foreign_frame is not None:
            self.on_foreign_frame(table_id, text)

    async def _resync(self, topics: set[str]) -> None:
        if self.on_followed is not None:
            await self.on_followed(topics)


hub: Final = Hub()
"""The hub of this process."""
