"""daphne with limits for arriving requests and a graceful stop.

Only ``manage.py serve`` imports it: daphne installs Twisted's reactor, which other commands do not
need.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Any, Final

from daphne.http_protocol import HTTPFactory
from daphne.server import Server

from tables.servers import arrivals, connection_limits
from tables.servers.arrivals import RequestFlow
from tables.servers.daphne_request import LimitedRequest
from tables.servers.daphne_websocket import DaphneWebSocket
from tables.servers.shutdown import exit_process, force_exit_after_timeout
from tables.servers.write_now import WRITE_NOW

ANSWER_SECONDS: Final = 600
"""The time for a whole response, such as the download of a long history."""
PAGES_SECONDS: Final = 2.0
"""How long a stop waits for pages that are being answered."""
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class DaphneServer(Server):
    """daphne with a graceful stop: ``on_ready`` is called at the start, ``finish`` awaited at the end."""

    def __init__(
        self,
        application: Any,
        *,
        host: str,
        port: int,
        on_ready: Callable[[], None],
        finish: Callable[[], Any],
    ) -> None:
        interface = host.replace(":", r"\:")  # as Twisted writes an address of IPv6
        endpoint = f"tcp:port={port}:interface={interface}:backlog={connection_limits.BACKLOG}"
        super().__init__(
            application=application,
            endpoints=[endpoint],
            signal_handlers=False,
            websocket_handshake_timeout=connection_limits.HANDSHAKE_SECONDS,
            ping_interval=connection_limits.PING_SECONDS,
            ping_timeout=connection_limits.PONG_SECONDS,
            http_timeout=ANSWER_SECONDS,
            ready_callable=self._report_ready,
        )
        self._on_ready = on_ready
        self._finish = finish
        self._ports: list[Any] = []
        self._stopping: asyncio.Task[None] | None = None

    def listen_success(self, port: Any) -> None:
        """Store a listening port, to close it at the stop; daphne does not keep it."""
        self._ports.append(port)
        super().listen_success(port)

    def _report_ready(self) -> None:
        """Called by daphne when it listens, before its loop runs."""
        limit_connections(self.http_factory)
        self.ws_factory.protocol = DaphneWebSocket
        loop = asyncio.get_event_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._stop_soon)
        self._on_ready()

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        """Run the site for a request or a socket, with :mod:`tables.servers.write_now`."""
        if isinstance(protocol, DaphneWebSocket):
            scope.setdefault("extensions", {})[WRITE_NOW] = {"write": protocol.write_now}
        return super().create_application(protocol, scope)

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        """Pass a message of the site on; a frame waits until its socket can send more."""
        if message["type"] == "websocket.send" and not protocol.room.is_set():
            await protocol.room.wait()
        await super().handle_reply(protocol, message)

    def _stop_soon(self) -> None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)  # already stopping
        force_exit_after_timeout()
        self._stopping = loop.create_task(self._stop())

    async def _stop(self) -> None:
        """Close the ports and the sockets, and wait for unfinished pages."""
        try:
            for port in self._ports:
                port.stopListening()
            await self._finish()
            pages = self._unfinished_pages()
            if pages:
                await asyncio.wait(pages, timeout=PAGES_SECONDS)
        finally:
            # daphne 4.2 on Python 3.11 can crash while the interpreter collects the queues of its
            # sockets; all is written by now, so the process exits without cleanup.
            exit_process("Closed.")

    def _unfinished_pages(self) -> list[asyncio.Future[None]]:
        """The applications of unanswered requests. An idle connection has none."""
        instances = (details.get("application_instance") for details in self.connections.values())
        return [application for application in instances if application and not application.done()]


def limit_connections(factory: HTTPFactory) -> None:
    """Limit the time for a complete request on each connection.

    Twisted restarts its timeout with each received byte. Here it runs from the connection, or the
    previous response, to the last byte of the request, and not during the response.
    """
    build = factory.buildProtocol

    def build_strict(address: Any) -> Any:
        protocol = build(address)
        protocol.timeOut = connection_limits.ARRIVAL_SECONDS
        protocol.requestFactory = LimitedRequest
        channel = protocol._channel
        channel.resetTimeout = lambda: None
        _count_requests(channel)
        return protocol

    factory.buildProtocol = build_strict


def _count_requests(channel: Any) -> None:
    """Cut a connection with too much data, and the oldest waiting one if there are too many.

    Twisted sets a timeout for each request, and removes it when the request is complete.
    """
    flow, set_timeout, read = RequestFlow(), channel.setTimeout, channel.dataReceived

    def expect(seconds: float | None) -> Any:
        if seconds is None:
            arrivals.request_arrived(channel)
        else:
            flow.begin_request()
            arrivals.expect_request(channel, channel.transport.abortConnection)
        return set_timeout(seconds)

    def take(data: bytes) -> None:
        if flow.count_data(data):
            read(data)
        else:
            channel.transport.abortConnection()

    channel.setTimeout, channel.dataReceived = expect, take
