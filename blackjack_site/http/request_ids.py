"""The id of each request: on its log lines, and in the header ``X-Request-ID`` of its response."""

from __future__ import annotations

import re
import secrets
from collections.abc import MutableMapping
from typing import Any, Final

from django.conf import settings

from accounts.lib import log_context

HEADER: Final = b"x-request-id"
_FROM_PROXY: Final = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_BYTES: Final = 8


class RequestIds:
    """An ASGI wrapper. A trusted proxy may send the id, so that its log has the same."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Serve a request with an id, or a socket with one for its handshake and its frames."""
        request_id = _read_id(scope) or secrets.token_hex(_BYTES)
        if scope["type"] == "websocket":
            log_context.add_ids(connection_id=request_id)
            await self._application(scope, receive, send)
            return
        log_context.add_ids(request_id=request_id)
        header = (HEADER, request_id.encode())

        async def send_with_id(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), header]
            await send(message)

        await self._application(scope, receive, send_with_id)


def _read_id(scope: MutableMapping[str, Any]) -> str:
    """The id that a trusted proxy has sent; empty without one."""
    if not settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        return ""
    for name, value in scope["headers"]:
        if name == HEADER:
            return value.decode() if _FROM_PROXY.fullmatch(value) else ""
    return ""
