"""A websocket of the load: it takes as little of the processors as can be.

The load shares the machine with the server that it measures: with a complete client, half of a
core went to reading frames. This one sends short texts and reads whole, uncompressed frames, as
the servers of the bench send them.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable
from typing import cast
from urllib.parse import urlsplit

FIN = 0x80
TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
MASKED = 0x80
NO_MASK = bytes(4)
"""The key of a client's frame may be zero; then the masked text is the text."""
LONGEST_SHORT = 125
TWO_BYTES, EIGHT_BYTES = 126, 127
PATIENCE_SECONDS = 20
SWITCHING = b"HTTP/1.1 101"


class LightSocket(asyncio.Protocol):
    """A client's socket, which passes each text to ``on_text`` as soon as it has arrived."""

    def __init__(self, request: bytes) -> None:
        self.on_text: Callable[[bytes], None] = lambda _text: None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._request = request
        self._buffer = bytearray()
        self._closed = asyncio.Event()
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def open(cls, url: str, path: str, cookie: str) -> LightSocket:
        """Connect to a path of the site at ``url``. Raises ``ConnectionError``."""
        place = urlsplit(url)
        key = base64.b64encode(os.urandom(16)).decode()
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nOrigin: {url}\r\nCookie: {cookie}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
        )
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(
            lambda: cls(request.encode()), place.hostname, place.port
        )
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await socket.opened
        except (ConnectionError, TimeoutError):
            await socket.wait_closed()
            raise
        return socket

    def send(self, text: str) -> None:
        """Send a text of at most 125 bytes."""
        payload = text.encode()
        if len(payload) > LONGEST_SHORT:
            raise ValueError(f"The load sends short texts only, not {len(payload)} bytes.")
        self._write(TEXT, payload)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    async def wait_closed(self) -> None:
        """Close it, and wait until that is done: a loop that ends first leaves the transport open."""
        self.close()
        await self._closed.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self.opened.done() and not self._is_upgraded():
            return
        while (frame := self._next_frame()) is not None:
            kind, payload = frame
            if kind == TEXT:
                self.on_text(payload)
            elif kind == PING:
                self._write(PONG, payload)
            elif kind == CLOSE:
                self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed.set()
        if not self.opened.done():
            self.opened.set_exception(exc or ConnectionError("The server closed the socket."))

    def _is_upgraded(self) -> bool:
        """Whether the answer to the request has arrived; what follows it stays in the buffer."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        if not self._buffer.startswith(SWITCHING):
            answer = bytes(self._buffer[:end]).decode(errors="replace")
            self.opened.set_exception(ConnectionError(answer))
            return False
        del self._buffer[: end + 4]
        self.opened.set_result(None)
        return True

    def _next_frame(self) -> tuple[int, bytes] | None:
        """Take the next whole frame out of the buffer."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        if not buffer[0] & FIN:
            raise ValueError("The load reads whole frames only.")
        length, begin = buffer[1], 2
        if length == TWO_BYTES:
            begin = 4
            length = int.from_bytes(buffer[2:4], "big")
        elif length == EIGHT_BYTES:
            begin = 10
            length = int.from_bytes(buffer[2:10], "big")
        if len(buffer) < begin + length:
            return None
        frame = buffer[0] & 0x0F, bytes(buffer[begin : begin + length])
        del buffer[: begin + length]
        return frame

    def _write(self, kind: int, payload: bytes) -> None:
        assert self._transport is not None
        self._transport.write(bytes((FIN | kind, MASKED | len(payload))) + NO_MASK + payload)
