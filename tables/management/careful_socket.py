"""A socket of daphne's: who sends too much, or does not read, costs the others nothing.

daphne itself bounds neither what comes in nor what waits to go out.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Final

from daphne.ws_protocol import WebSocketProtocol

from tables.allowance import Allowance
from tables.messages import CloseCode

MAX_MESSAGE_BYTES: Final = 8192
"""Longer messages end the connection here; the site refuses them from 4097 on."""
FRAMES_PER_SECOND: Final = 50
FRAMES_AT_ONCE: Final = 200
"""Of all kinds: parts of messages and pings as well, of which the site itself hears nothing."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes that the system may keep for a reader; Linux takes twice as many."""


class CarefulSocket(WebSocketProtocol):
    """One socket. It is also what Twisted calls a producer: told when the line takes no more."""

    autoPingRestartOnAnyTraffic = False
    """Whoever sends must answer pings all the same: that alone shows that somebody reads."""
    maxFramePayloadSize = MAX_MESSAGE_BYTES
    maxMessagePayloadSize = 0
    """It would hold for what the site sends, too, and a table with its chat is longer."""

    last_ping: float

    def __init__(self) -> None:
        super().__init__()
        self.room = asyncio.Event()
        """Whether the line takes more; the site waits for it before it sends."""
        self.room.set()
        self._allowance = Allowance(per_second=FRAMES_PER_SECOND, at_once=FRAMES_AT_ONCE)
        self._has_asked = False

    def connectionMade(self) -> None:
        """Take the line over from the page request as which it began."""
        super().connectionMade()
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, True)
        line = self.transport.getHandle()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)

    def dataReceived(self, data: bytes) -> None:
        """Read; who does not wait to be let in is not listened to, as all of it would be kept."""
        if self.state == self.STATE_CONNECTING and self._has_asked:
            self.transport.abortConnection()
            return
        self._has_asked = True
        super().dataReceived(data)

    def onFrameBegin(self) -> None:
        """Count a frame. After one too many nothing is read any more, not even what is here."""
        super().onFrameBegin()
        if not self._allowance.take():
            self.sendClose(code=int(CloseCode.RATE))
            self.data = b""
            self.transport.pauseProducing()

    def onMessageFrameBegin(self, length: int) -> None:
        """Read a part of a message, unless all parts together are too long."""
        super().onMessageFrameBegin(length)
        if self.message_data_total_length > MAX_MESSAGE_BYTES:
            self.dropConnection(abort=True)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        """Pass a message on. daphne would ping nobody who sends; here everybody is pinged."""
        pinged_at = self.last_ping
        super().onMessage(payload, isBinary)
        self.last_ping = pinged_at

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        """Nobody waits any more."""
        self.room.set()
        super().onClose(wasClean, code, reason)

    # As a producer

    def pauseProducing(self) -> None:
        """More than 64 KB wait to be taken by the system."""
        self.room.clear()

    def resumeProducing(self) -> None:
        """Nothing waits any more."""
        self.room.set()

    def stopProducing(self) -> None:
        """The line is closed."""
        self.room.set()
