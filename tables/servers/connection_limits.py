"""Time and buffer limits of each connection, on daphne and on uvicorn.

The limits of received frames are in :mod:`tables.servers.frame_limits`.
"""

from __future__ import annotations

import socket
from typing import Any, Final

ARRIVAL_SECONDS: Final = 30
"""The time for a complete request, and of an idle connection, before it is cut."""
HANDSHAKE_SECONDS: Final = 30
"""The time for a handshake. After a restart all pages reconnect at once; with daphne's default of
five seconds most of them would fail and retry.
"""
PING_SECONDS: Final = 10
PONG_SECONDS: Final = 15
"""The time to answer a ping before the socket is cut."""
SEND_BUFFER: Final = 64 * 1024
"""The system's send buffer of a connection in bytes; Linux doubles it."""
RECEIVE_BUFFER: Final = 64 * 1024
"""The system's receive buffer in bytes; by default it grows to megabytes."""
BACKLOG: Final = 1024
"""The limit of connections that wait to be accepted."""


def bound_buffers(line: Any) -> None:
    """Set small system buffers for a connection; ``line`` is its socket."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
