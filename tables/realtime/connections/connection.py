"""One websocket: inbox, outbox, limits, close."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import structlog
from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer

from accounts.http import get_socket_address
from tables import access, metrics
from tables.access import Codes
from tables.lib import eager_task
from tables.lib.token_bucket import TokenBucket, TokenBuckets
from tables.models import Table
from tables.protocol.frames import CloseCode
from tables.realtime.connections.rate_limits import crowd
from tables.realtime.hub import hub
from tables.servers.write_now import get_write_now

log = structlog.get_logger()

INBOX = 32
"""The limit of received frames that wait for earlier ones; one more closes the socket."""
OUTBOX_BYTES = 256 * 1024
"""The limit of unsent bytes before the socket is closed."""
SECONDS_BEHIND = 5.0
"""How long a frame may wait for a full send buffer before the socket is closed."""
FRAMES_PER_SECOND = 10
FRAME_BURST = 20
STRIKES = 5
"""Unreadable frames within :data:`STRIKE_SECONDS` before the socket is closed."""
STRIKE_SECONDS = 60

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

players_allowances = TokenBuckets(per_second=FRAMES_PER_SECOND, at_once=FRAME_BURST)
"""The frame limit of each player over all sockets of this process."""


class Connection(AsyncWebsocketConsumer):
    """The socket of one open page. It receives frames from the hub, not from a channel layer."""

    channel_layer_alias = "none"

    def __init__(self) -> None:
        super().__init__()
        self.user_id: int | None = None
        self.is_in_sight = True
        self.session_key: str | None = None
        self.address: str | None = None
        self.codes: Codes = {}
        self.allowance = TokenBucket(per_second=FRAMES_PER_SECOND, at_once=FRAME_BURST)
        self.is_hung_up = False
        self._is_cut = False
        self._inbox: deque[Message] = deque()
        self._reader: asyncio.Task[None] | None = None
        self._outbox: deque[tuple[str, int]] = deque()
        self._outbox_bytes = 0
        self._sender: asyncio.Task[None] | None = None
        self._frames_sent = 0
        self._is_closing = False
        self._goodbye = int(CloseCode.TRY_LATER)
        self._closed = asyncio.Event()
        self._write_now = get_write_now({})
        self._strikes: deque[float] = deque(maxlen=STRIKES)

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Serve the socket. Always remove it from the hub: ``disconnect`` may never run."""
        self._write_now = get_write_now(scope)
        try:
            await super().__call__(scope, partial(self._receive_control, receive), send)
        finally:
            self._leave_hub()
            for task in (self._sender, self._reader):
                if task is not None:
                    task.cancel()
            self._closed.set()

    async def accept(self, *args: Any, **options: Any) -> None:
        """Accept the socket and register it, so that a stop of the server closes it."""
        await super().accept(*args, **options)
        hub.register(self)
        self.address = get_socket_address(self.scope)
        is_stranger = not self.scope["user"].is_authenticated
        if not crowd.add_socket(self.address, self, is_stranger=is_stranger):
            self.close_socket(CloseCode.RATE)

    async def dispatch(self, message: Message) -> None:
        """Call the handler of a message, without Channels' cleanup of database connections."""
        await getattr(self, get_handler_name(message))(message)

    async def websocket_disconnect(self, message: Message) -> None:
        """Leave the hub, and execute the commands received before the disconnect."""
        self._leave_hub()
        if self._reader is not None:
            await self._reader
        await super().websocket_disconnect(message)

    def push(self, text: str) -> None:
        """Send a frame, or queue it if it has to wait; a slow reader is closed."""
        if self.is_gone():
            return
        if not self._outbox and not self._is_sending() and self._write_now(text):
            metrics.FRAMES_SENT.inc()
            return
        size = len(text) if text.isascii() else len(text.encode())
        self._outbox.append((text, size))
        self._outbox_bytes += size
        if self._outbox_bytes > OUTBOX_BYTES:
            self._close_slow_reader()
        else:
            self._start_sending()

    def close_socket(self, code: int) -> None:
        """Close the socket after the queued frames; nothing more is queued or read."""
        if self.is_hung_up:
            return
        self.is_hung_up = True
        self._leave_hub()
        self._goodbye = int(code)  # daphne needs a plain int
        self._start_sending()

    def is_gone(self) -> bool:
        """Whether the socket is closed or closing. Thread-safe."""
        return self.is_hung_up or self._is_cut

    def may_see(self, table: Table) -> bool:
        """Whether the user of this page may see the table."""
        return access.may_see(table, self.user_id, self.codes)

    async def wait_closed(self) -> None:
        """Wait until the browser has answered the close or is disconnected."""
        await self._closed.wait()

    def has_too_many_errors(self) -> bool:
        """Count an unreadable frame; return true if there were too many."""
        now = time.monotonic()
        self._strikes.append(now)
        return len(self._strikes) == STRIKES and now - self._strikes[0] < STRIKE_SECONDS

    def _leave_hub(self) -> None:
        hub.leave(self)
        crowd.remove_socket(self)

    # In

    async def _receive_control(self, receive: Receive) -> Message:
        """Return the next message that is not a frame; frames go into the bounded inbox.

        The ASGI server's receive queue is unbounded. This loop does not yield while that queue has
        messages, so it is emptied faster than a flood fills it.
        """
        while (message := await receive())["type"] == "websocket.receive":
            self._enqueue_received(message)
        self._is_cut = message["type"] == "websocket.disconnect"
        return message

    def _enqueue_received(self, message: Message) -> None:
        """Put a frame into the inbox, or close the socket if it is over a limit."""
        if self.is_hung_up:
            return
        if not self.allowance.take() or len(self._inbox) >= INBOX:
            self.close_socket(CloseCode.RATE)
            return
        self._inbox.append(message)
        if self._reader is None or self._reader.done():
            self._reader = eager_task.start_eagerly(self._read_inbox())

    async def _read_inbox(self) -> None:
        """Process the inbox one frame at a time."""
        while self._inbox:
            message = self._inbox.popleft()
            if self.is_hung_up:
                continue
            try:
                await self.websocket_receive(message)
            except Exception:
                log.exception("frame_failed")
                self.close_socket(CloseCode.TRY_LATER)

    # Out

    def _is_sending(self) -> bool:
        return self._sender is not None and not self._sender.done()

    def _start_sending(self) -> None:
        """Start to send the outbox, unless that is already in progress."""
        if not self._is_sending():
            self._sender = eager_task.start_eagerly(self._send_outbox())
            if self._sender is not None:
                self._schedule_line_check(self._sender)

    async def _send_outbox(self) -> None:
        try:
            while self._outbox:
                text, size = self._outbox.popleft()
                await self.send(text)
                self._outbox_bytes -= size
                self._frames_sent += 1
                metrics.FRAMES_SENT.inc()
            if self.is_hung_up:
                self._is_closing = True
                await self.close(self._goodbye)
        except Exception as error:
            # A server may raise if the browser has just disconnected.
            log.info("send_failed", error=repr(error))
            self._leave_hub()

    def _schedule_line_check(self, sender: asyncio.Task[None]) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(SECONDS_BEHIND, self._check_line, sender, self._frames_sent)

    def _check_line(self, sender: asyncio.Task[None], sent: int) -> None:
        """Close the socket if no frame was sent since."""
        if sender.done() or self._is_closing:
            return
        if self._frames_sent > sent:
            self._schedule_line_check(sender)
        else:
            self._close_slow_reader()

    def _close_slow_reader(self) -> None:
        """Close a slow reader, and discard its outbox."""
        self._outbox.clear()
        if self._sender is not None:
            self._sender.cancel()
            self._sender = None
        if self.is_hung_up:
            self._start_sending()  # the close
        else:
            metrics.SLOW_READERS.inc()
            self.close_socket(CloseCode.TRY_LATER)
