"""Reading in a thread of its own, for which a stop does not wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from django.db import connection

from tables.lib import loop_queue
from tables.lib.loop_queue import resolve

T = TypeVar("T")


def run_in_daemon_thread(work: Callable[[], T], name: str) -> asyncio.Future[T]:
    """Run ``work`` in a new thread with its own database connection.

    A database that hangs delays neither the event loop nor the end of the process.
    """
    result: Future[T] = Future()
    threading.Thread(target=partial(_run, work, result), name=name, daemon=True).start()
    return loop_queue.get_queue(asyncio.get_running_loop()).await_future(result)


def _run(work: Callable[[], T], result: Future[T]) -> None:
    try:
        value = work()
    except Exception as error:
        resolve(result, None, error)
    else:
        resolve(result, value, None)
    finally:
        connection.close()
