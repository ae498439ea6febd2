"""uvicorn's protocols with flow control: floods and slow readers cost the others nothing.

uvicorn itself bounds neither what comes in nor how long anything takes. What is used of it and of
websockets without being promised stands in :mod:`tables.servers.private_parts`.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from tables.protocol.frames import CloseCode
from tables.servers import arrivals, connection_limits
from tables.servers.arrivals import RequestFlow
from tables.servers.frame_limits import Excess, FrameLimiter

GOODBYE_SECONDS: Final = 2.0
"""So long a close frame that ends a flood, or the last of an answer, may take to be sent."""
NO_UTF_8: Final = 1007
CLOSING_SECONDS: Final = 12.0
"""A socket that the site closes is cut by then; uvicorn waits ten for the browser's answer."""


class LimitedHTTP(H11Protocol):
    """A connection for pages, which may become a socket."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._arrival: TimerHandle | None = None
        self._flow = RequestFlow()

    # uvicorn itself narrows the type of asyncio's base class.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_come()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came, unless it is more than any request has."""
        if not self._flow.take(data):
            self.transport.abort()
            return
        super().data_received(data)
        if self.transport.is_closing():
            self.loop.call_later(GOODBYE_SECONDS, self.transport.abort)
        if not self._is_arriving() or self.transport.get_protocol() is not self:
            self._has_come()

    def on_response_complete(self) -> None:
        """Wait for the next request. One that goes on after its answer gets no new time."""
        is_whole = not self._is_arriving()
        super().on_response_complete()
        if is_whole:
            self._expect_request()

    def _is_arriving(self) -> bool:
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY}

    def _expect_request(self) -> None:
        self._has_come()
        self._flow.begin()
        if self.transport.is_closing() or not self._is_arriving():
            return
        self._arrival = self.loop.call_later(
            connection_limits.ARRIVAL_SECONDS, self.transport.abort
        )
        arrivals.expect(self, self.transport.abort)

    def _has_come(self) -> None:
        arrivals.has_come(self)
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """A socket: the bounds of :class:`FrameLimiter`, and an end that does not depend on its reader."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._flow = FrameLimiter()
        self._ends: list[TimerHandle] = []
        self._has_asked = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the line over from the page request as which it began."""
        super().connection_made(transport)
        self._ends.append(
            self.loop.call_later(connection_limits.HANDSHAKE_SECONDS, self._end_handshake)
        )
        connection_limits.bound_buffers(transport.get_extra_info("socket"))

    def data_received(self, data: bytes) -> None:
        """Read what may be read. After too much nothing is, not even what is here."""
        if self.transport.is_closing():
            return
        if not self._has_asked:
            self._has_asked = True
            super().data_received(data)
            if not self.handshake_initiated:  # no request that websockets reads
                self.transport.write(b"".join(self.conn.data_to_send()))
                self.transport.close()
        elif not self.handshake_complete:
            # Who does not wait to be let in is not listened to, as all of it would be kept.
            self.transport.abort()
        else:
            super().data_received(self._flow.take(data))
            if self._flow.excess is not None:
                self._cut(self._flow.excess)
        if self.transport.is_closing():
            self._end_in(GOODBYE_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is to be ended any more, and nothing of the socket kept until then."""
        for end in self._ends:
            end.cancel()
        super().connection_lost(exc)

    async def send(self, message: Any) -> None:
        """Pass on what the site answers. After its close the line ends, whoever reads it."""
        if message["type"] == "websocket.close":
            self._end_in(CLOSING_SECONDS)
        await super().send(message)

    def send_receive_event_to_app(self) -> None:
        """Pass a message on. One that is no UTF-8 ends the socket; uvicorn would also write a
        traceback into the log for each.
        """
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                if self.conn.state is State.OPEN:
                    self.conn.send_close(NO_UTF_8)
                    self.handle_parser_exception()
                return  # or a close came right behind it
        super().send_receive_event_to_app()

    def keepalive_timeout(self) -> None:
        """Cut who answers no pings: what waits for such a reader would never be taken."""
        super().keepalive_timeout()
        self._end_in(GOODBYE_SECONDS)

    def shutdown(self) -> None:
        """Say that the server stops. Who is gone by half is told nothing."""
        if self.conn.state is State.CLOSING:
            self.transport.abort()
        else:
            super().shutdown()

    def _cut(self, excess: Excess) -> None:
        if excess is Excess.TOO_LONG:
            self.transport.abort()
            return
        if self.conn.state is State.OPEN:
            self.conn.send_close(int(CloseCode.RATE))
            self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()

    def _end_handshake(self) -> None:
        if not self.handshake_complete:
            self.transport.abort()

    def _end_in(self, seconds: float) -> None:
        self._ends.append(self.loop.call_later(seconds, self.transport.abort))
