"""Things done at the same moment, each by a process of its own as far as the database can tell."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection, connections

T = TypeVar("T")
AT_ONCE = 20


def at_once(works: list[Callable[[], T]]) -> list[T]:
    """Do all of it at the same moment, each in a thread and on a connection of its own."""
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        try:
            _be_patient()
            barrier.wait(30)
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def _be_patient() -> None:
    """Have this connection wait for who comes first, however slow the machine is.

    The house gives up sooner, and its writer tries again, which nobody does here.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '30s'")
        cursor.execute("SET statement_timeout = '60s'")
