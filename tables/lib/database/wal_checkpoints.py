"""Checkpoints of SQLite's write-ahead log, away from the players' commits.

By default SQLite runs a checkpoint in the commit that exceeds a log size, and that player waits for
the disk. Here a thread runs it soon after a write; a commit does it only for a very long log
(``wal_autocheckpoint`` in ``settings.py``). If commits do not wait for the disk, a power failure
costs about a second of play.
"""

from __future__ import annotations

import threading
from typing import Final

import structlog
from django.db import Error as DatabaseError
from django.db import connection

log = structlog.get_logger()

SECONDS: Final = 0.5
"""The delay of a checkpoint after the first write."""


class Checkpoints:
    """The checkpoint thread of this process. It sleeps while there are no writes."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._is_written, self._is_over = threading.Event(), threading.Event()

    def start(self) -> None:
        """Start the thread on SQLite."""
        if connection.vendor == "sqlite":
            self._is_over.clear()
            self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread. The log needs no last checkpoint."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._is_over.set()
            self._is_written.set()
            thread.join()

    def request(self) -> None:
        """Request a checkpoint after a write. Thread-safe."""
        if not self._is_written.is_set():
            self._is_written.set()

    def _run(self) -> None:
        while self._is_written.wait() and not self._is_over.wait(SECONDS):
            self._is_written.clear()
            if self._is_over.is_set():  # stop() came before clear(), which has undone its wake-up
                return
            try:
                with connection.cursor() as cursor:
                    cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except DatabaseError:
                log.warning("checkpoint_failed", exc_info=True)
            finally:
                connection.close()


checkpoints: Final = Checkpoints()
"""The checkpoints of this process."""
