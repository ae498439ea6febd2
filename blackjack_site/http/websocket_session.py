"""Sessions of websockets: read once when the socket opens, never written."""

from __future__ import annotations

from typing import Any

from channels.sessions import InstanceSessionWrapper, SessionMiddleware


class WebsocketSessionMiddleware(SessionMiddleware):
    """Channels' middleware without its check of the session at each sent frame."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Serve a socket with its session in the scope."""
        wrapper = InstanceSessionWrapper(scope, send)
        await wrapper.resolve_session()
        await self.inner(wrapper.scope, receive, send)
