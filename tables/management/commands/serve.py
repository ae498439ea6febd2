"""``manage.py serve``: the whole site in one process, on daphne or on uvicorn."""

from __future__ import annotations

import asyncio
import gc
import os
from argparse import ArgumentParser
from concurrent.futures import wait
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, Final

from channels.routing import get_default_application
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.db import OperationalError, connection

from accounts import site_settings
from accounts.doors import first_links
from tables.lib import arguments
from tables.lib.database.file import verify_writable
from tables.lib.database.move_marker import UnservableDatabase
from tables.servers.command_lines import format_command_line
from tables.servers.memory_arenas import use_one_arena
from tables.servers.open_files import raise_limit
from tables.servers.ports import explain_taken_port
from tables.servers.private_parts import verify_parts

GREETING = """
{name} is open at {url}  (Ctrl-C closes it)
{link}An operator for {url}admin/ is made by: {command}
"""

LINK = "The first operator is made in a browser, once: {link}\n"


NEVER_BETTER: Final = (
    "authentication failed", "no password supplied", "no pg_hba.conf entry", "does not exist",
)  # fmt: skip
"""Parts of messages of PostgreSQL for what waiting does not end."""


class Command(BaseCommand):
    help = "Serve the site until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host", type=arguments.parse_host, default="127.0.0.1",
            help="address to listen on; 0.0.0.0 for all",
        )  # fmt: skip
        parser.add_argument(
            "--server", default="daphne", choices=["daphne", "uvicorn"],
            help="uvicorn serves more players, and wants a proxy in front",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        host, port, is_uvicorn = options["host"], settings.PORT, options["server"] == "uvicorn"
        if is_uvicorn and find_spec("uvicorn") is None:
            raise CommandError(
                "uvicorn is not installed: pip install --require-hashes -r requirements/scale.txt"
            )
        verify_parts(options["server"])
        if reason := explain_taken_port(host, port, "make run"):
            raise CommandError(reason)
        raise_limit()
        use_one_arena()
        application = get_default_application()
        self._first_link = self._read_site()  # not before it has taken the lock of the site
        if is_uvicorn:
            from tables.servers.uvicorn_server import UvicornServer

            UvicornServer(
                application, host=host, port=port, on_ready=self._print_address
            ).serve_until_stopped()
            return
        from tables.realtime import runtime
        from tables.servers.daphne_server import DaphneServer

        future = runtime.begin_epochs()
        wait([future], runtime.EPOCH_SECONDS)
        if future.done() and isinstance(error := future.exception(), UnservableDatabase):
            raise CommandError(str(error))
        if not future.done() or future.exception() is not None:
            self.stderr.write(
                "The database cannot be used yet. The server tries again every second; /readyz "
                "says when it is ready."
            )
        DaphneServer(
            application, host=host, port=port, on_ready=self._print_address, finish=runtime.stop
        ).run()

    def _print_address(self) -> None:
        from tables.realtime import runtime

        asyncio.get_event_loop().call_soon(runtime.ensure_started)
        gc.collect()
        gc.freeze()  # loaded modules stay in memory: exclude them from garbage collection
        url = (settings.SITE_URL or settings.SITE_ORIGINS[0]) + "/"
        command = format_command_line(os.environ, "createsuperuser")
        link = LINK.format(link=self._first_link) if self._first_link else ""
        name = site_settings.get().name
        with suppress(OSError):  # a site without a reader of its output is served as well
            self.stdout.write(GREETING.format(name=name, url=url, link=link, command=command))

    def _read_site(self) -> str | None:
        """Read the settings and the bans before the first request; return the link that makes the
        first operator, if there is none. Without PostgreSQL a server starts as well, and waits for it.

        An SQLite file that cannot be read or written raises ``DatabaseError``, and so does a PostgreSQL
        that does not let this user in, or has no such database.
        """
        from tables.realtime import runtime

        _verify_login()
        try:
            verify_writable()
            runtime.read_site()
            return first_links.make_link(f"port {settings.PORT}", is_only=not settings.REDIS_URL)
        except DatabaseError as error:
            if connection.vendor == "sqlite" and "locked" not in str(error):
                raise
            return None
        finally:
            connection.close()


def _verify_login() -> None:
    """Raise ``OperationalError`` if PostgreSQL does not let this user in, or has no such database. The pool
    would hide that. Other errors may pass by themselves.
    """
    if connection.vendor == "sqlite":
        return
    postgresql: Any = connection
    try:
        with postgresql.wrap_database_errors:
            postgresql.Database.connect(**postgresql.get_connection_params()).close()
    except OperationalError as error:
        if any(sign in str(error) for sign in NEVER_BETTER):
            raise
