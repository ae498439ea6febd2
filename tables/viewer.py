"""A socket that the hub can write to: its outbox, its limits, its end."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any

import structlog
from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer

from tables import access, metrics
from tables.access import Codes
from tables.hub import hub
from tables.messages import CloseCode
from tables.models import Table

log = structlog.get_logger()

OUTBOX = 256
"""Frames that may wait for a slow reader before the socket is closed."""
FRAMES_PER_SECOND = 10
FRAME_BURST = 20
STRIKES = 5
"""Unreadable frames within :data:`STRIKE_SECONDS` before the socket is closed."""
STRIKE_SECONDS = 60


class Viewer(AsyncWebsocketConsumer):
    """One open page. What it is to see comes from the hub, not from a channel of its own."""

    channel_layer_alias = "none"

    def __init__(self) -> None:
        super().__init__()
        self.user_id: int | None = None
        self.session_key: str | None = None
        self.codes: Codes = {}
        self._outbox: asyncio.Queue[str | int] = asyncio.Queue(OUTBOX)
        self._is_hung_up = False
        self._closed = asyncio.Event()
        self._allowance = float(FRAME_BURST)
        self._allowed_at = time.monotonic()
        self._strikes: deque[float] = deque(maxlen=STRIKES)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the socket. However it ends, the hub forgets it: ``disconnect`` may never run."""
        pump = asyncio.create_task(self._pump())
        try:
            await super().__call__(scope, receive, send)
        finally:
            hub.leave(self)
            pump.cancel()
            self._closed.set()

    async def accept(self, *args: Any, **options: Any) -> None:
        """Let the page in; from here on it can be told that the house closes."""
        await super().accept(*args, **options)
        hub.welcome(self)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle what the server passes on. Lean: no database connection is ours to look after."""
        await getattr(self, get_handler_name(message))(message)

    async def websocket_receive(self, message: dict[str, Any]) -> None:
        """Read a frame, unless the socket was hung up on: its other side may go on sending."""
        if not self._is_hung_up:
            await super().websocket_receive(message)

    def push(self, text: str) -> None:
        """Send a frame, without waiting for it; a reader who is too slow is hung up on."""
        if self._is_hung_up:
            return
        try:
            self._outbox.put_nowait(text)
        except asyncio.QueueFull:
            metrics.SLOW_READERS.inc()
            self.hang_up(CloseCode.TRY_LATER)

    def hang_up(self, code: int) -> None:
        """Close the socket after what is sent already; nothing more is sent."""
        if self._is_hung_up:
            return
        self._is_hung_up = True
        hub.leave(self)
        if self._outbox.full():
            self._outbox.get_nowait()
        self._outbox.put_nowait(code)

    def may_see(self, table: Table) -> bool:
        """Whether whose page it is may look at this table."""
        return access.may_see(table, self.user_id, self.codes)

    async def wait_closed(self) -> None:
        """Wait until the browser has answered the close, or is gone."""
        await self._closed.wait()

    def is_too_fast(self) -> bool:
        """Count a frame that came in; true when there were too many."""
        now = time.monotonic()
        earned = (now - self._allowed_at) * FRAMES_PER_SECOND
        self._allowance = min(FRAME_BURST, self._allowance + earned) - 1
        self._allowed_at = now
        return self._allowance < 0

    def is_hopeless(self) -> bool:
        """Count an unreadable frame; true when there were too many."""
        now = time.monotonic()
        self._strikes.append(now)
        return len(self._strikes) == STRIKES and now - self._strikes[0] < STRIKE_SECONDS

    async def _pump(self) -> None:
        """Send what waits in the outbox, until a close code is taken from it."""
        try:
            while isinstance(item := await self._outbox.get(), str):
                await self.send(item)
                metrics.FRAMES_SENT.inc()
            await self.close(int(item))
        except Exception as error:
            # A server may raise when the browser has just gone; the socket ends either way.
            log.info("send_failed", error=repr(error))
            hub.leave(self)
