"""uvicorn's protocols with flow control: against floods and slow readers.

uvicorn has no limits for received data and times. The private names of uvicorn and websockets that
are used here are listed in :mod:`tables.servers.private_parts`.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from functools import lru_cache
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from tables.protocol.frames import CloseCode
from tables.servers import arrivals, connection_limits
from tables.servers.arrivals import RequestFlow
from tables.servers.frame_limits import ExceededLimit, FrameLimiter
from tables.servers.write_now import WRITE_NOW

GOODBYE_SECONDS: Final = 2.0
"""The time to send a close frame after a flood, or the end of a response."""
NO_UTF_8: Final = 1007
CLOSING_SECONDS: Final = 12.0
"""The time after which a closed socket is cut; uvicorn waits ten seconds for the answer."""


class UvicornHttp(H11Protocol):
    """An HTTP connection, which may be upgraded to a websocket."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._arrival: TimerHandle | None = None
        self._flow = RequestFlow()

    # uvicorn itself narrows the type of asyncio's base class.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._request_arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read received data within the limits of a request."""
        if not self._flow.count_data(data):
            self.transport.abort()
            return
        super().data_received(data)
        if self.transport.get_protocol() is not self and self.conn.trailing_data[0]:
            self.transport.abort()  # frames before the handshake reply, which uvicorn would drop
        if self.transport.is_closing():
            self.loop.call_later(GOODBYE_SECONDS, self.transport.abort)
        if not self._is_arriving() or self.transport.get_protocol() is not self:
            self._request_arrived()

    def on_response_complete(self) -> None:
        """Wait for the next request. An incomplete request keeps its timeout."""
        is_whole = not self._is_arriving()
        super().on_response_complete()
        if is_whole:
            self._expect_request()

    def _is_arriving(self) -> bool:
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY}

    def _expect_request(self) -> None:
        self._request_arrived()
        self._flow.begin_request()
        if self.transport.is_closing() or not self._is_arriving():
            return
        self._arrival = self.loop.call_later(
            connection_limits.ARRIVAL_SECONDS, self.transport.abort
        )
        arrivals.expect_request(self, self.transport.abort)

    def _request_arrived(self) -> None:
        arrivals.request_arrived(self)
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None


class UvicornWebSocket(WebSocketsSansIOProtocol):
    """A socket with the limits of :class:`FrameLimiter` and a time limit for its close."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._flow = FrameLimiter()
        self._ends: list[TimerHandle] = []
        self._has_asked = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection over from its HTTP request."""
        super().connection_made(transport)
        self._ends.append(
            self.loop.call_later(connection_limits.HANDSHAKE_SECONDS, self._end_handshake)
        )
        connection_limits.bound_buffers(transport.get_extra_info("socket"))

    def data_received(self, data: bytes) -> None:
        """Read received data within the limits; beyond them nothing more is read."""
        if self.transport.is_closing():
            return
        if not self._has_asked:
            self._has_asked = True
            super().data_received(data)
            if not self.handshake_initiated:  # not a valid handshake
                self.transport.write(b"".join(self.conn.data_to_send()))
                self.transport.close()
        elif not self.handshake_complete:
            # Data before the handshake reply would be buffered without a limit.
            self.transport.abort()
        else:
            super().data_received(self._flow.count_data(data))
            if self._flow.excess is not None:
                self._close_for(self._flow.excess)
        if self.transport.is_closing():
            self._abort_after(GOODBYE_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers, which would keep the socket in memory."""
        for end in self._ends:
            end.cancel()
        super().connection_lost(exc)

    async def run_asgi(self) -> None:
        """Run the site for this socket, with :mod:`tables.servers.write_now`."""
        self.scope["extensions"][WRITE_NOW] = {"write": self.write_now}
        try:
            await super().run_asgi()
        finally:
            del self.scope["extensions"][WRITE_NOW]  # which refers to this object

    async def send(self, message: Any) -> None:
        """Send a message of the site. After a close, cut the connection in time."""
        if message["type"] == "websocket.close":
            self._abort_after(CLOSING_SECONDS)
        await super().send(message)

    def write_now(self, text: str) -> bool:
        """:data:`tables.servers.write_now.WriteNow`."""
        is_open = self.handshake_complete and self.conn.state is State.OPEN
        is_lost = self.disconnected or self.transport.is_closing()
        if not is_open or is_lost or not self.writable.is_set():
            return False
        self.transport.write(_encode_frame(text))
        return True

    def send_receive_event_to_app(self) -> None:
        """Pass a message on. Close on invalid UTF-8, without uvicorn's traceback in the log.

        Reading is paused if the message before has not been taken. uvicorn pauses it after each
        message, and goes on when it is taken, which is two more system calls.
        """
        data, self.frames = b"".join(self.frames), []
        if self.close_sent:
            return
        message: Any = {"type": "websocket.receive", "bytes": data}
        if self.curr_msg_data_type == "text":
            try:
                message = {"type": "websocket.receive", "text": data.decode()}
            except UnicodeDecodeError:
                if self.conn.state is State.OPEN:  # or a close followed
                    self.conn.send_close(NO_UTF_8)
                    self.handle_parser_exception()
                return
        self.queue.put_nowait(message)
        if self.queue.qsize() > 1 and not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def keepalive_timeout(self) -> None:
        """Cut a socket that answers no pings: a close frame would never be sent."""
        super().keepalive_timeout()
        self._abort_after(GOODBYE_SECONDS)

    def shutdown(self) -> None:
        """Close the socket at a stop, unless it is already closing."""
        if self.conn.state is State.CLOSING:
            self.transport.abort()
        else:
            super().shutdown()

    def _close_for(self, excess: ExceededLimit) -> None:
        if excess is ExceededLimit.TOO_LONG:
            self.transport.abort()
            return
        if self.conn.state is State.OPEN:
            self.conn.send_close(int(CloseCode.RATE))
            self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()

    def _end_handshake(self) -> None:
        if not self.handshake_complete:
            self.transport.abort()

    def _abort_after(self, seconds: float) -> None:
        self._ends.append(self.loop.call_later(seconds, self.transport.abort))


@lru_cache(maxsize=16)
def _encode_frame(text: str) -> bytes:
    """The bytes of a frame, which are the same for all sockets of a table."""
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=False)
