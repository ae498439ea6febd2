"""Requests that are still arriving: their number and size, on either server."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from django.conf import settings

HEAD_BYTES: Final = 16 * 1024
"""The limit of a request's headers."""
MOST_REQUEST_BYTES: Final = HEAD_BYTES + 4 * settings.MOST_BODY_BYTES
"""The limit of a whole request, with the overhead of a chunked body."""
MOST_READS: Final = 4000
"""The limit of reads for one request."""
MOST_ARRIVING: Final = 2000
"""The limit of connections with an incomplete request; beyond it the oldest is cut."""

_arriving: OrderedDict[Hashable, Callable[[], object]] = OrderedDict()


def expect_request(connection: Hashable, abort: Callable[[], object]) -> None:
    """Register a connection that waits for a request; ``abort`` cuts it."""
    _arriving.pop(connection, None)
    _arriving[connection] = abort
    if len(_arriving) > MOST_ARRIVING:
        _arriving.popitem(last=False)[1]()


def request_arrived(connection: Hashable) -> None:
    """Unregister a connection: its request is complete, or it is closed."""
    _arriving.pop(connection, None)


class RequestFlow:
    """Counts bytes and reads of the current request of a connection."""

    def __init__(self) -> None:
        self.begin_request()

    def begin_request(self) -> None:
        """Start to count the next request."""
        self._bytes = self._reads = 0

    def count_data(self, data: bytes) -> bool:
        """Count received data; false if the request is over a limit."""
        self._bytes += len(data)
        self._reads += 1
        return self._bytes <= MOST_REQUEST_BYTES and self._reads <= MOST_READS
