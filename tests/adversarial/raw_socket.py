"""A WebSocket client that can do what no browser does: every bit of a frame is the caller's."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import struct
from typing import Any
from urllib.parse import urlsplit

PARTS, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NO_CLOSE_FRAME = 1006
PATIENCE = 20.0
"""Seconds after which a server that says nothing is taken for dead."""
TCP_ESTABLISHED = 1


def frame(
    payload: bytes | str,
    opcode: int = TEXT,
    *,
    fin: bool = True,
    rsv: int = 0,
    masked: bool = True,
    mask: bytes = b"\0\0\0\0",
    length: int | None = None,
) -> bytes:
    """One frame. ``length`` is what it claims to have, where that is not the truth.

    With the mask of zeros the payload is on the wire as it is.
    """
    data = payload.encode() if isinstance(payload, str) else payload
    if masked and mask != b"\0\0\0\0":
        data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
    claimed = len(data) if length is None else length
    head = bytes([fin << 7 | rsv << 4 | opcode])
    bit = masked << 7
    if claimed < 126:
        head += bytes([bit | claimed])
    elif claimed < 1 << 16:
        head += bytes([bit | 126]) + struct.pack("!H", claimed)
    else:
        head += bytes([bit | 127]) + struct.pack("!Q", claimed)
    return head + (mask if masked else b"") + data


def close_frame(code: int = 1000) -> bytes:
    return frame(struct.pack("!H", code), CLOSE)


class Refused(Exception):
    """The server did not let the socket in."""


class RawSocket(asyncio.Protocol):
    """One socket, opened by :func:`open_raw`. What comes is read at once, unless told not to."""

    def __init__(self, *, reads: bool = True) -> None:
        self._reads = reads
        self.headers = ""
        """The answer to the request."""
        self.close_code: int | None = None
        """Why the server closed it, once that was read."""
        self.pongs = 0
        self.answers_pings = True
        self.ended = asyncio.Event()
        self._data = bytearray()
        self._came: asyncio.Queue[str | None] = asyncio.Queue()
        self._takes_more = asyncio.Event()
        self.messages: list[dict[str, Any]] = []
        """The messages of the site that were looked at so far."""

    async def send(self, *frames: bytes) -> None:
        """Write frames; a line that is closed meanwhile takes none, and that is no fault."""
        self.transport.write(b"".join(frames))
        await self._takes_more.wait()

    async def message(self) -> dict[str, Any]:
        """The next message of the site. Raises ``ConnectionError`` when the socket is closed."""
        text = await asyncio.wait_for(self._came.get(), PATIENCE)
        if text is None:
            raise ConnectionResetError
        self.messages.append(json.loads(text))
        return self.messages[-1]

    async def message_of(self, kind: str) -> dict[str, Any]:
        """The next message of this kind."""
        while (message := await self.message())["t"] != kind:
            pass
        return message

    async def closed(self) -> int:
        """Read to the end; the code under which the server closed the socket."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    await self.message()
        except ConnectionError:
            self.drop()
        return NO_CLOSE_FRAME if self.close_code is None else self.close_code

    async def let_in(self) -> None:
        """Wait for the answer to the request. Raises :class:`Refused`."""
        answer = await asyncio.wait_for(self._came.get(), PATIENCE)
        if answer is None:
            raise Refused("the line was cut")
        if " 101 " not in answer.split("\r\n")[0]:
            self.drop()
            raise Refused(answer)
        self.headers = answer

    def read_nothing(self) -> None:
        """Leave what comes to the system, which keeps it until it has no room."""
        self.transport.pause_reading()

    def is_cut(self) -> bool:
        """Whether the server has ended the connection, for a line on which nothing is read."""
        line = self.transport.get_extra_info("socket")
        return self.transport.is_closing() or line.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_INFO, 1
        ) != bytes([TCP_ESTABLISHED])

    def drop(self) -> None:
        """Cut the line without a word, unless it is cut already."""
        if not self.ended.is_set():
            self.transport.abort()

    # As asyncio's protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._takes_more.set()

    def pause_writing(self) -> None:
        self._takes_more.clear()

    def resume_writing(self) -> None:
        self._takes_more.set()

    def connection_lost(self, error: Exception | None) -> None:
        self.ended.set()
        self._takes_more.set()
        self._came.put_nowait(None)

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self.headers and not self._take_headers():
            return
        while (frame_parts := self._take_frame()) is not None:
            self._hear(*frame_parts)

    def _take_headers(self) -> bool:
        end = self._data.find(b"\r\n\r\n") + 4
        if end < 4:
            return False
        self.headers = self._data[:end].decode("latin-1")
        del self._data[:end]
        self._came.put_nowait(self.headers)
        return True

    def _take_frame(self) -> tuple[int, bytes] | None:
        data = self._data
        if len(data) < 4:
            return None if len(data) < 2 or data[1] else self._cut_out(2, 0)
        length, at = data[1] & 0x7F, 2
        if length == 126:
            length, at = struct.unpack("!H", data[2:4])[0], 4
        elif length == 127 and len(data) >= 10:
            length, at = struct.unpack("!Q", data[2:10])[0], 10
        return None if len(data) < at + length else self._cut_out(at, length)

    def _cut_out(self, at: int, length: int) -> tuple[int, bytes]:
        opcode, payload = self._data[0] & 0x0F, bytes(self._data[at : at + length])
        del self._data[: at + length]
        return opcode, payload

    def _hear(self, opcode: int, payload: bytes) -> None:
        if opcode == TEXT and self._reads:
            self._came.put_nowait(payload.decode())
        elif opcode == PONG:
            self.pongs += 1
        elif opcode == PING and self.answers_pings:
            self.transport.write(frame(payload, PONG))
        elif opcode == CLOSE and self.close_code is None:
            self.close_code = struct.unpack("!H", payload[:2])[0] if payload else 1005
            self.transport.write(close_frame())


async def open_raw(
    url: str, path: str, *, cookies: str = "", asks: str = "", ahead: bytes = b"",
    address: str = "127.0.0.1", receive_buffer: int | None = None, reads: bool = True,
    port: int | None = None,
) -> RawSocket:  # fmt: skip
    """Open a socket. ``asks`` are more lines of the request, ``ahead`` is sent before its answer,
    ``address`` is where it comes from, and ``receive_buffer`` how many bytes the system keeps for
    who does not read. Without ``reads`` messages are taken and forgotten. ``port`` is where the
    server listens, where a proxy stands at that of ``url``. Raises :class:`Refused`.
    """
    line = socket.socket()
    line.setblocking(False)
    line.bind((address, 0))
    if receive_buffer is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(line, ("127.0.0.1", port or urlsplit(url).port))
    transport, raw = await loop.create_connection(lambda: RawSocket(reads=reads), sock=line)
    key = base64.b64encode(os.urandom(16)).decode()
    transport.write(
        f"GET {path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\nOrigin: {url}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {key}\r\nCookie: {cookies}\r\n{asks}\r\n".encode()
    )
    if ahead:
        await asyncio.sleep(0.001)  # in the same piece the server would not look at it
        transport.write(ahead)
    await raw.let_in()
    return raw
