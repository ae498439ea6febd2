"""The whole site as one ASGI application, for daphne and uvicorn alike."""

from __future__ import annotations

import asyncio
import os
import warnings
from typing import Any

from channels.auth import AuthMiddleware
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import CookieMiddleware
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")

from blackjack_site.conf import single_process
from blackjack_site.http import sync_handler

try:
    pages = sync_handler.create_pages_application()
    single_process.acquire_single_process_lock()
except ImproperlyConfigured as error:
    single_process.exit_with_error(error)

from django.conf import settings

from blackjack_site.http.body_limit import BodyLimit
from blackjack_site.http.request_ids import RequestIds
from blackjack_site.http.websocket_origin import OriginValidator
from blackjack_site.http.websocket_session import WebsocketSessionMiddleware
from tables.lib.database.move_marker import UnservableDatabase
from tables.operators.alerts import thread as alerts
from tables.realtime import runtime
from tables.realtime.connections.handshake_limit import HandshakeLimit
from tables.realtime.connections.routing import websocket_urlpatterns

# WhiteNoise's static files: each is read whole, in a thread, which is right for their sizes.
warnings.filterwarnings("ignore", "StreamingHttpResponse must consume synchronous iterators")

authenticated_sockets = CookieMiddleware(
    WebsocketSessionMiddleware(AuthMiddleware(URLRouter(websocket_urlpatterns)))
)
sockets = OriginValidator(HandshakeLimit(authenticated_sockets), settings.SITE_ORIGINS)
size_limited_pages = BodyLimit(pages, settings.MOST_BODY_BYTES)
routes = RequestIds(ProtocolTypeRouter({"http": size_limited_pages, "websocket": sockets}))

runtime.workers.append(alerts.of_process)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serve one request or socket. The first scope of a process starts its tasks."""
    runtime.ensure_started()
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    else:
        await routes(scope, receive, send)


async def _lifespan(receive: Any, send: Any) -> None:
    """Start and stop with the server by the lifespan protocol, which daphne does not have."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            begun = asyncio.wrap_future(runtime.begin_epochs())
            await asyncio.wait({begun}, timeout=runtime.EPOCH_SECONDS)
            if begun.done() and isinstance(error := begun.exception(), UnservableDatabase):
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
            await send({"type": "lifespan.startup.complete"})
        else:
            await runtime.stop()
            await send({"type": "lifespan.shutdown.complete"})
            return
