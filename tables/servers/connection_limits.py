"""Time and buffer limits of each connection, on daphne and on uvicorn.

How much an open socket may send
stands in :mod:`tables.servers.frame_limits`.
"""

from __future__ import annotations

import socket
from typing import Any, Final

ARRIVAL_SECONDS: Final = 30
"""A request has arrived whole by then, or its connection ends; so does one that is idle."""
HANDSHAKE_SECONDS: Final = 30
"""A socket is open by then. After a restart all pages come at once, and daphne's own five seconds
would send most of them away again, for longer every time.
"""
PING_SECONDS: Final = 10
PONG_SECONDS: Final = 15
"""Whoever does not answer a ping in this time reads nothing any more."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes that the system may keep for a reader; Linux takes twice as many."""
RECEIVE_BUFFER: Final = 64 * 1024
"""Bytes that the system may keep of what was not read yet; by itself it would keep megabytes."""
BACKLOG: Final = 1024
"""So many connections may wait to be accepted."""


def bound_buffers(line: Any) -> None:
    """Have the system keep little for this connection; ``line`` is its socket."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
