"""The end of a server process."""

from __future__ import annotations

import os
import sys
import threading
from typing import Final, NoReturn

STOP_SECONDS: Final = 9.0
"""After so long a stop ends, whatever hangs."""


def leave_in_time() -> None:
    """Have the process end when a stop that begins now takes too long."""
    guard = threading.Timer(STOP_SECONDS, leave, ["Closed; not everything could be finished."])
    guard.daemon = True
    guard.start()


def leave(word: str) -> NoReturn:
    """End the process at once, and well."""
    sys.stdout.write(word + "\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
