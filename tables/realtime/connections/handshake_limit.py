"""The rate limit of new websockets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from channels.security.websocket import WebsocketDenier
from django.conf import settings

from accounts.doors import bans
from accounts.http import get_socket_address
from tables.lib.network_address import rate_limit_key
from tables.lib.token_bucket import TokenBuckets

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

MOST_AT_ONCE: Final = 1000
"""The limit of handshakes in progress; after a restart all pages reconnect at once."""


class HandshakeLimit:
    """An ASGI wrapper that limits new sockets by address and by handshakes in progress."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._in_hand = 0
        most = settings.SOCKETS_PER_ADDRESS
        self._of_addresses = TokenBuckets(per_second=most / 5, at_once=2 * most)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Serve a socket, or refuse it with 403, as one from a banned address."""
        if self._in_hand >= MOST_AT_ONCE or not self._is_let_in(scope):
            await WebsocketDenier()(scope, receive, send)
            return
        is_open = False

        def end_handshake() -> None:
            nonlocal is_open
            self._in_hand -= not is_open
            is_open = True

        async def answer(message: dict[str, Any]) -> None:
            end_handshake()
            await send(message)

        self._in_hand += 1
        try:
            await self._application(scope, receive, answer)
        finally:
            end_handshake()

    def _is_let_in(self, scope: dict[str, Any]) -> bool:
        address = get_socket_address(scope)
        if bans.find(address) is not None:
            return False
        place = rate_limit_key(address)
        return place is None or self._of_addresses.get_bucket(place).take()
