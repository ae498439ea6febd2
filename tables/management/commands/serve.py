"""``manage.py serve``: the whole site in one process, on daphne."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from argparse import ArgumentParser
from typing import Any

from channels.routing import get_default_application
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

MAX_MESSAGE_BYTES = 8192
"""Longer messages end the connection inside daphne; the site refuses them from 4097 on."""

GREETING = """
The Card Room is open at {url}  (Ctrl-C closes it)
An operator for {url}admin/ is made by: {python} manage.py createsuperuser
"""


class Command(BaseCommand):
    help = "Serve the site with daphne until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen on; 0.0.0.0 for all"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], settings.PORT
        _verify_free(host, port)
        # Imported here: it installs Twisted's reactor, which no other command wants.
        from daphne.server import Server

        Server(
            application=get_default_application(),
            endpoints=[f"tcp:port={port}:interface={host}"],
            signal_handlers=False,
            websocket_max_message_size=MAX_MESSAGE_BYTES,
            websocket_max_frame_size=MAX_MESSAGE_BYTES,
            ping_interval=10,
            ping_timeout=15,
            # For a whole answer, and a long history takes a while to be written into a file.
            http_timeout=600,
            ready_callable=self._be_ready,
        ).run()
        self.stdout.write("Closed.")
        # daphne 4.2 on Python 3.11 can crash while the interpreter collects the queues of its
        # sockets; everything is stopped and written by now, so the interpreter just ends.
        sys.stdout.flush()
        os._exit(0)

    def _be_ready(self) -> None:
        """Called by daphne when it listens, before its loop runs."""
        from tables import runtime

        loop = asyncio.get_event_loop()
        loop.call_soon(runtime.ensure_started)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop_soon)
        url = (settings.SITE_URL or settings.SITE_ORIGINS[0]) + "/"
        self.stdout.write(GREETING.format(url=url, python=os.path.relpath(sys.executable)))

    def _stop_soon(self) -> None:
        self.stopping = asyncio.get_running_loop().create_task(_stop())


async def _stop() -> None:
    """Send everybody away to come back later, finish what is being written, then stop daphne."""
    from twisted.internet import reactor

    from tables import runtime

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(number)
    await runtime.stop()
    reactor.stop()  # type: ignore[misc]


def _verify_free(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host} port {port} ({error.strerror}). "
                f"Another port is used by: make run PORT={port + 1}"
            ) from error
