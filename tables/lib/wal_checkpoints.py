"""Checkpoints of SQLite's write-ahead log, away from the players' commits.

By default SQLite makes a checkpoint in the commit that makes the log too long, and that player
waits for the disk. Here a thread makes it soon after something was written; a commit does it only
if the log has become very long (``settings.py`` says how long). Where commits do not wait for the
disk, a power cut costs about a second of play.
"""

from __future__ import annotations

import threading
from typing import Final

import structlog
from django.db import Error as DatabaseError
from django.db import connection

log = structlog.get_logger()

SECONDS: Final = 0.5
"""From the first of some changes until all of them are brought over."""


class Checkpoints:
    """The thread of this process that does it, if there is one. It sleeps while the writer does."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._is_written, self._is_over = threading.Event(), threading.Event()

    def start(self) -> None:
        """Begin, where the database is one that has such a log."""
        if connection.vendor == "sqlite":
            self._is_over.clear()
            self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread; harmless without one. What is in the log is safe there."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._is_over.set()
            self._is_written.set()
            thread.join()

    def soon(self) -> None:
        """Something was written. May be called by any thread."""
        if not self._is_written.is_set():
            self._is_written.set()

    def _run(self) -> None:
        while self._is_written.wait() and not self._is_over.wait(SECONDS):
            self._is_written.clear()
            try:
                with connection.cursor() as cursor:
                    cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except DatabaseError:
                log.warning("checkpoint_failed", exc_info=True)
            finally:
                connection.close()


checkpoints: Final = Checkpoints()
"""Those of this process."""
