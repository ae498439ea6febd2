"""Things done at the same moment, each by a process of its own as far as the database can tell."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

T = TypeVar("T")
AT_ONCE = 20


def at_once(works: list[Callable[[], T]]) -> list[T]:
    """Do all of it at the same moment, each in a thread and on a connection of its own."""
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        barrier.wait(10)
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))
