"""The end of a server process."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import Final, NoReturn

from accounts.mail import queue

STOP_SECONDS: Final = 9.0
"""The time limit of a stop."""


def force_exit_after_timeout() -> None:
    """Start the time limit of a stop: after it the process exits."""
    message = "Closed; not everything could be finished."
    guard = threading.Timer(STOP_SECONDS, exit_process, [message], {"letters_wait": 0})
    guard.daemon = True
    guard.start()


def exit_process(word: str, *, letters_wait: float = queue.STOP_SECONDS) -> NoReturn:
    """Send waiting e-mails, then exit with 0 without further cleanup."""
    queue.mail_queue.stop(letters_wait)
    # What reads the output may have ended before, as with `serve | head`; the process must end as well.
    for stream, text in ((sys.stdout, f"{word}\n"), (sys.stderr, "")):
        with suppress(OSError, ValueError):
            stream.write(text)
            stream.flush()
    os._exit(0)
