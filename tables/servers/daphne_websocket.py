"""daphne's websocket protocol with flow control: against floods and slow readers.

daphne has no limits for received frames and unsent data. The private names of daphne and autobahn
that are used here are listed in :mod:`tables.servers.private_parts`.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache

from autobahn.websocket.protocol import PreparedMessage
from daphne.ws_protocol import WebSocketProtocol

from tables.protocol.frames import CloseCode
from tables.servers import connection_limits
from tables.servers.frame_limits import MAX_MESSAGE_BYTES, ExceededLimit, FrameLimiter


class DaphneWebSocket(WebSocketProtocol):
    """One socket. It is also a Twisted producer, which is notified of a full send buffer."""

    autoPingRestartOnAnyTraffic = False
    """Received data does not replace the answer to a ping, which shows that the client reads."""
    maxFramePayloadSize = MAX_MESSAGE_BYTES
    maxMessagePayloadSize = 0
    """No limit here: it would also apply to sent messages, and snapshots are longer."""

    last_ping: float

    def __init__(self) -> None:
        super().__init__()
        self.room = asyncio.Event()
        """Set while the send buffer has room; the site waits for it before it sends."""
        self.room.set()
        self._flow = FrameLimiter()
        self._has_asked = False

    def connectionMade(self) -> None:
        """Take the connection over from its HTTP request."""
        super().connectionMade()
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, True)
        connection_limits.bound_buffers(self.transport.getHandle())

    def dataReceived(self, data: bytes) -> None:
        """Read received data within the limits; beyond them nothing more is read."""
        if not self._has_asked:
            self._has_asked = True
            super().dataReceived(data)
        elif self.state == self.STATE_CONNECTING:
            # Data before the handshake reply would be buffered without a limit.
            self.transport.abortConnection()
        else:
            super().dataReceived(self._flow.count_data(data))
            if self._flow.excess is not None:
                self._close_for(self._flow.excess)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        """Pass a message on. It does not postpone the next ping, as in daphne."""
        pinged_at = self.last_ping
        super().onMessage(payload, isBinary)
        self.last_ping = pinged_at

    def write_now(self, text: str) -> bool:
        """:data:`tables.servers.write_now.WriteNow`. autobahn would build the frame anew for each socket."""
        if self.state != self.STATE_OPEN or self.send_queue or not self.room.is_set():
            return False
        self.transport.write(_encode_frame(text))
        return True

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        """Release waiting senders."""
        self.room.set()
        super().onClose(wasClean, code, reason)

    def _close_for(self, excess: ExceededLimit) -> None:
        if excess is ExceededLimit.TOO_LONG:
            self.dropConnection(abort=True)
        else:
            self.sendClose(code=int(CloseCode.RATE))
            self.transport.pauseProducing()

    # As a producer

    def pauseProducing(self) -> None:
        """Called when more than 64 KB are unsent."""
        self.room.clear()

    def resumeProducing(self) -> None:
        """Called when the send buffer is empty."""
        self.room.set()

    def stopProducing(self) -> None:
        """Called when the connection is closed."""
        self.room.set()


@lru_cache(maxsize=16)
def _encode_frame(text: str) -> bytes:
    """The bytes of a frame, which are the same for all sockets of a table."""
    frame = PreparedMessage(text.encode(), isBinary=False, applyMask=False, doNotCompress=True)
    encoded: bytes = frame.payloadHybi
    return encoded
