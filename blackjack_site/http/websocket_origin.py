"""The origin check of websockets: only the site's own pages may open one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from channels.security.websocket import WebsocketDenier

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
USUAL_PORTS = {"http": ":80", "https": ":443"}
"""Default ports, which browsers omit."""


def normalize_origin(origin: str) -> str:
    """Normalise an origin for comparison.

    >>> normalize_origin("HTTPS://Cards.Example:443"), normalize_origin("http://localhost:8080")
    ('https://cards.example', 'http://localhost:8080')
    """
    lower = origin.lower()
    return lower.removesuffix(USUAL_PORTS.get(lower.partition("://")[0], ""))


class OriginValidator:
    """Refuses sockets unless the Origin header is exactly the site's. Channels ignores extra parts."""

    def __init__(self, application: Application, origins: Iterable[str]) -> None:
        self._application = application
        self._origins = {normalize_origin(origin) for origin in origins}

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Serve a socket, or refuse it with 403."""
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        is_own = len(origins) == 1 and normalize_origin(origins[0]) in self._origins
        await (self._application if is_own else WebsocketDenier())(scope, receive, send)
