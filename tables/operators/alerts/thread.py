"""A thread that checks alerts and sends the messages about them, beside the event loop and the writer."""

from __future__ import annotations

import threading
from typing import Final

from accounts.lib import server_clock
from tables.lib.periodic_thread import PeriodicThread


def _check_and_send(_is_over: threading.Event) -> None:
    # Here, because they load the books, which a start does not wait for.
    from tables.operators.alerts import check, deliveries

    now = server_clock.now()
    check.check_if_due(now)
    deliveries.send_due(now)


of_process: Final = PeriodicThread("alerts", _check_and_send, seconds=5.0, longest_stop=1.0)
"""The thread of this process. A message in work at a stop is sent again by another process."""
