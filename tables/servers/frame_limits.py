"""The limit of incoming websocket frames, read from the frame headers.

The frame headers are read before daphne or uvicorn parses the data: neither has such a limit.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from tables.lib.token_bucket import TokenBucket

MAX_MESSAGE_BYTES: Final = 8192
"""Longer messages cut the connection here; the site refuses messages over 4,096 bytes."""
FRAMES_PER_SECOND: Final = 50
FRAMES_AT_ONCE: Final = 200
"""Frames of all kinds, also fragments and pings, which the site does not see."""
READS_PER_SECOND: Final = 1000
READS_AT_ONCE: Final = 4000
"""The limit of reads: reading single bytes costs as much as reading frames."""

CONTINUATION: Final = 0
TEXT: Final = 1
BINARY: Final = 2
LENGTH_BYTES: Final = {126: 2, 127: 8}
"""The size of the length field, by the 7-bit length; other values are the length itself."""
MASK_BYTES: Final = 4


class ExceededLimit(Enum):
    """The exceeded limit."""

    TOO_MANY_FRAMES = auto()
    TOO_LONG = auto()


class FrameLimiter:
    """Counts the received frames of a socket.

    >>> flow = FrameLimiter()
    >>> empty_ping = bytes.fromhex("898000000000")
    >>> len(flow.count_data(empty_ping * 200)), flow.excess
    (1200, None)
    >>> len(flow.count_data(empty_ping * 2000)) < 12_000, flow.excess
    (True, <ExceededLimit.TOO_MANY_FRAMES: 1>)
    """

    __slots__ = ("_frames", "_head", "_message", "_payload", "_reads", "excess")

    def __init__(self) -> None:
        self._frames = TokenBucket(per_second=FRAMES_PER_SECOND, at_once=FRAMES_AT_ONCE)
        self._reads = TokenBucket(per_second=READS_PER_SECOND, at_once=READS_AT_ONCE)
        self._head = b""
        """An incomplete frame header."""
        self._payload = 0
        """Missing payload bytes of the current frame."""
        self._message = 0
        """The length of the current message over its fragments."""
        self.excess: ExceededLimit | None = None
        """The exceeded limit; then nothing more is read."""

    def count_data(self, data: bytes) -> bytes:
        """Count received data; return the part that may be read."""
        if self.excess is not None or not self._reads.take():
            return self._refuse(ExceededLimit.TOO_MANY_FRAMES, b"")
        at = min(self._payload, len(data))
        self._payload -= at
        while at < len(data):
            missing = _is_incomplete(head := self._head + data[at : at + 14 - len(self._head)])
            if missing:
                self._head = head
                break
            begin, at = at, at + _header_size(head) - len(self._head)
            self._head = b""
            if not self._frames.take():
                return self._refuse(ExceededLimit.TOO_MANY_FRAMES, data[:begin])
            length = self._count_message(head)
            if length > MAX_MESSAGE_BYTES or self._message > MAX_MESSAGE_BYTES:
                return self._refuse(ExceededLimit.TOO_LONG, data[:begin])
            here = min(length, len(data) - at)
            self._payload = length - here
            at += here
        return data

    def _refuse(self, excess: ExceededLimit, before: bytes) -> bytes:
        self.excess = self.excess or excess
        return before

    def _count_message(self, head: bytes) -> int:
        """Return the length of a frame, and add it to that of its message."""
        length = head[1] & 0x7F
        if length in LENGTH_BYTES:
            length = int.from_bytes(head[2 : 2 + LENGTH_BYTES[length]])
        kind = head[0] & 0x0F
        if kind in {TEXT, BINARY}:
            self._message = length
        elif kind == CONTINUATION:
            self._message += length
        return length


def _header_size(head: bytes) -> int:
    masked = MASK_BYTES if head[1] & 0x80 else 0
    return 2 + LENGTH_BYTES.get(head[1] & 0x7F, 0) + masked


def _is_incomplete(head: bytes) -> bool:
    return len(head) < 2 or len(head) < _header_size(head)
