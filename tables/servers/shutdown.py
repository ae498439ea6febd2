"""The end of a server process."""

from __future__ import annotations

import os
import sys
import threading
from typing import Final, NoReturn

from accounts.mail import queue

STOP_SECONDS: Final = 9.0
"""After so long a stop ends, whatever hangs."""


def force_exit_after_timeout() -> None:
    """Have the process end when a stop that begins now takes too long."""
    said = "Closed; not everything could be finished."
    guard = threading.Timer(STOP_SECONDS, leave, [said], {"letters_wait": 0})
    guard.daemon = True
    guard.start()


def leave(word: str, *, letters_wait: float = queue.STOP_SECONDS) -> NoReturn:
    """End the process well, and at once but for letters that are being sent."""
    queue.mail_queue.stop(letters_wait)
    sys.stdout.write(word + "\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
