"""daphne's HTTP request with a size limit."""

from __future__ import annotations

from typing import Final

from daphne.http_protocol import WebRequest
from django.conf import settings

TOO_LARGE: Final = (
    b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
)


class LimitedRequest(WebRequest):
    """Cuts the connection if the body is too long, before daphne stores all of it on disk."""

    received = 0

    def handleContentChunk(self, data: bytes) -> None:
        """Store a part of the body, up to the limit."""
        self.received += len(data)
        if self.received <= settings.MOST_BODY_BYTES:
            super().handleContentChunk(data)
        elif self.received - len(data) <= settings.MOST_BODY_BYTES:  # once
            self.channel.transport.write(TOO_LARGE)
            self.channel.loseConnection()
