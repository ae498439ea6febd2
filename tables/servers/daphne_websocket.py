"""daphne's websocket protocol with flow control: floods and slow readers cost the others nothing.

daphne itself bounds neither what comes in nor what waits to go out. What is used of it and of
autobahn without being promised stands in :mod:`tables.servers.private_parts`.
"""

from __future__ import annotations

import asyncio

from daphne.ws_protocol import WebSocketProtocol

from tables.protocol.frames import CloseCode
from tables.servers import connection_limits
from tables.servers.frame_limits import MAX_MESSAGE_BYTES, Excess, FrameLimiter


class LimitedWebSocket(WebSocketProtocol):
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
        self._flow = FrameLimiter()
        self._has_asked = False

    def connectionMade(self) -> None:
        """Take the line over from the page request as which it began."""
        super().connectionMade()
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, True)
        connection_limits.bound_buffers(self.transport.getHandle())

    def dataReceived(self, data: bytes) -> None:
        """Read what may be read. After too much nothing is, not even what is here."""
        if not self._has_asked:
            self._has_asked = True
            super().dataReceived(data)
        elif self.state == self.STATE_CONNECTING:
            # Who does not wait to be let in is not listened to, as all of it would be kept.
            self.transport.abortConnection()
        else:
            super().dataReceived(self._flow.take(data))
            if self._flow.excess is not None:
                self._cut(self._flow.excess)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        """Pass a message on. daphne would ping nobody who sends; here everybody is pinged."""
        pinged_at = self.last_ping
        super().onMessage(payload, isBinary)
        self.last_ping = pinged_at

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        """Nobody waits any more."""
        self.room.set()
        super().onClose(wasClean, code, reason)

    def _cut(self, excess: Excess) -> None:
        if excess is Excess.TOO_LONG:
            self.dropConnection(abort=True)
        else:
            self.sendClose(code=int(CloseCode.RATE))
            self.transport.pauseProducing()

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
