"""An ASGI handler that runs each request in one thread from start to end."""

from __future__ import annotations

import warnings
from typing import Any

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpResponseBase


class SyncASGIHandler(ASGIHandler):
    """Calls middlewares and view in one thread, like a WSGI server.

    No view is asynchronous. By default Django switches between event loop and thread around most
    middlewares, which takes longer than their work.
    """

    _middleware_chain: Any

    def load_middleware(self, is_async: bool = False) -> None:
        """Load all middlewares in synchronous mode."""
        super().load_middleware(is_async=False)
        self._middleware_chain = sync_to_async(self._middleware_chain, thread_sensitive=True)

    async def send_response(self, response: HttpResponseBase, send: Any) -> None:
        """Send the response. If that fails, end the request, which Django then leaves undone: its
        connection to the database would never come back.
        """
        try:
            await super().send_response(response, send)
        except Exception:
            await sync_to_async(response.close)()
            raise


def create_pages_application() -> SyncASGIHandler:
    """Set up Django, and return the ASGI application of its pages."""
    # Of WhiteNoise: prepare makes the folder. Before that there is no table in the database either, which
    # is said.
    warnings.filterwarnings("ignore", "No directory at")
    django.setup(set_prefix=False)
    return SyncASGIHandler()
