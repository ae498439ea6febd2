"""A thread that checks alerts and sends the messages about them, beside the event loop and the writer."""

from __future__ import annotations

import threading
from typing import Final

import structlog
from django.db import Error as DatabaseError
from django.db import connection

from accounts.lib import server_clock

log = structlog.get_logger()

SECONDS: Final = 5.0
"""How often it looks whether something is due."""
LONGEST_STOP: Final = 1.0
"""Seconds that a stop waits for it. A message in work is sent again by another process."""


class AlertThread:
    """The thread of this process."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._is_over = threading.Event()

    def start(self) -> None:
        """Start the thread."""
        self._is_over = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(self._is_over,), name="alerts", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        thread, self._thread = self._thread, None
        self._is_over.set()
        if thread is not None:
            thread.join(LONGEST_STOP)

    def _run(self, is_over: threading.Event) -> None:
        while not is_over.wait(SECONDS):
            try:
                work()
            except DatabaseError:
                log.warning("alerts_failed", exc_info=True)
            except Exception:
                log.exception("alerts_failed")
            finally:
                connection.close()


def work() -> None:
    """Check what is due, and send what is due."""
    # Here, because they load the books, which a start does not wait for.
    from tables.operators.alerts import check, deliveries

    now = server_clock.now()
    check.check_if_due(now)
    deliveries.send_due(now)


of_process: Final = AlertThread()
"""The thread of this process."""
