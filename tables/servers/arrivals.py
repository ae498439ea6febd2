"""Requests that are still arriving: their number and size, on either server."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from django.conf import settings

HEAD_BYTES: Final = 16 * 1024
"""Of the header of a request, at most."""
MOST_REQUEST_BYTES: Final = HEAD_BYTES + 4 * settings.MOST_BODY_BYTES
"""Of one request, with what stands around the pieces of its body."""
MOST_READS: Final = 4000
"""Pieces in which the line may bring one request."""
MOST_ARRIVING: Final = 2000
"""Of more the one that waits longest is cut: who asks at once is never that."""

_arriving: OrderedDict[Hashable, Callable[[], object]] = OrderedDict()


def expect(connection: Hashable, abort: Callable[[], object]) -> None:
    """Wait for a request on this connection, which is cut by ``abort`` if it has to be."""
    _arriving.pop(connection, None)
    _arriving[connection] = abort
    if len(_arriving) > MOST_ARRIVING:
        _arriving.popitem(last=False)[1]()


def has_come(connection: Hashable) -> None:
    """Wait no more: the request is there, or the connection gone."""
    _arriving.pop(connection, None)


class RequestFlow:
    """Counts what comes of one request after the other."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Another request is waited for."""
        self._bytes = self._reads = 0

    def take(self, data: bytes) -> bool:
        """Count what came; false where it is more than any request has."""
        self._bytes += len(data)
        self._reads += 1
        return self._bytes <= MOST_REQUEST_BYTES and self._reads <= MOST_READS
