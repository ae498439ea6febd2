"""An ASGI handler that runs each request in one thread from start to end."""

from __future__ import annotations

from typing import Any

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler


class SyncASGIHandler(ASGIHandler):
    """Asks one middleware after the other and the view, as a server without an event loop does.

    No view here is asynchronous. Left to itself, Django changes between the event loop and the
    thread around most of the middlewares, and that takes longer than all that they do.
    """

    _middleware_chain: Any

    def load_middleware(self, is_async: bool = False) -> None:
        """Put the middlewares together so that none of them is asked on the event loop."""
        super().load_middleware(is_async=False)
        self._middleware_chain = sync_to_async(self._middleware_chain, thread_sensitive=True)


def pages() -> SyncASGIHandler:
    """Django set up, and all its pages as one ASGI application."""
    django.setup(set_prefix=False)
    return SyncASGIHandler()
