"""A thread that does the same work again and again, with its own database connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import structlog
from django.db import Error as DatabaseError
from django.db import connection

log = structlog.get_logger()


class PeriodicThread:
    """A daemon thread of this process that calls ``work`` again and again, with pauses.

    ``work`` gets an event that is set when the thread shall stop; long work looks at it.
    An error is logged as ``<name>_failed``; the work is tried again the next time.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[threading.Event], None],
        seconds: float,
        longest_stop: float,
    ) -> None:
        self.name: Final = name
        self.seconds = seconds
        """The pause before each call."""
        self._work: Final = work
        self._longest_stop: Final = longest_stop
        self._thread: threading.Thread | None = None
        self._is_over = threading.Event()

    def start(self) -> None:
        """Start the thread."""
        # A new event: the thread of an earlier start may still be in its last work.
        self._is_over = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(self._is_over,), name=self.name, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; wait for the work in hand, up to ``longest_stop`` seconds."""
        thread, self._thread = self._thread, None
        self._is_over.set()
        if thread is not None:
            thread.join(self._longest_stop)

    def _run(self, is_over: threading.Event) -> None:
        while not is_over.wait(self.seconds):
            try:
                self._work(is_over)
            except DatabaseError:
                log.warning(f"{self.name}_failed", exc_info=True)
            except Exception:
                log.exception(f"{self.name}_failed")
            finally:
                connection.close()
