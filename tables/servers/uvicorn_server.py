"""uvicorn with this site's protocols.

Only ``manage.py serve --server uvicorn`` imports it: uvicorn is in requirements/scale.txt, which a
site with one process does not need.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from uvicorn import Config, Server

from tables.servers import connection_limits
from tables.servers.arrivals import HEAD_BYTES
from tables.servers.frame_limits import MAX_MESSAGE_BYTES
from tables.servers.shutdown import exit_process, force_exit_after_timeout
from tables.servers.uvicorn_protocols import UvicornHttp, UvicornWebSocket

PAGES_SECONDS: Final = 5
"""How long a stop waits for pages that are being answered."""


class UvicornServer(Server):
    """uvicorn with a stop on Ctrl-C or SIGTERM. ``on_ready`` is called when it listens."""

    def __init__(
        self, application: Any, *, host: str, port: int, on_ready: Callable[[], None]
    ) -> None:
        super().__init__(
            Config(
                application,
                host=host,
                port=port,
                lifespan="on",
                http=UvicornHttp,
                ws=UvicornWebSocket,
                h11_max_incomplete_event_size=HEAD_BYTES,
                backlog=connection_limits.BACKLOG,
                ws_max_size=MAX_MESSAGE_BYTES,
                ws_per_message_deflate=False,
                ws_ping_interval=connection_limits.PING_SECONDS,
                ws_ping_timeout=connection_limits.PONG_SECONDS,
                timeout_graceful_shutdown=PAGES_SECONDS,
                proxy_headers=False,  # TRUSTED_PROXIES decides, in one place
                access_log=False,
                log_config=None,
                log_level="warning",
            )
        )
        self._on_ready = on_ready

    def serve_until_stopped(self) -> None:
        """Serve, then exit with 0, or with 1 if the server could not start."""
        self.run()
        if not self.started:
            raise SystemExit(1)
        exit_process("Closed.")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin a stop on a signal. A second signal has no effect."""
        if not self.should_exit:
            self.should_exit = True
            force_exit_after_timeout()
