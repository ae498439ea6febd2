"""A thread-safe queue of callbacks for one event loop; wakes the loop once per batch."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context
from functools import partial
from typing import Final, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class LoopQueue:
    """Callbacks for one loop, called there in the order of their posts."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._calls: deque[Callable[[], None]] = deque()
        self._is_woken = False

    def post(self, call: Callable[[], None]) -> None:
        """Queue a callback. Thread-safe; ignored if the loop is closed."""
        if self._loop.is_closed():
            return
        self._calls.append(call)
        if not self._is_woken:
            self._is_woken = True
            # Not in the context of whoever is first: the queue is of all.
            self._loop.call_soon_threadsafe(self._run_queued, context=Context())

    def run(self, call: Callable[[], None]) -> None:
        """On the loop: run all queued callbacks, then this one. In another thread: :meth:`post`."""
        if is_running(self._loop):
            self._calls.append(call)
            self._run_queued()
        else:
            self.post(call)

    def await_future(self, work: Future[T]) -> asyncio.Future[T]:
        """An awaitable for ``work``. Call it on the running loop.

        Cancelling the awaitable does not cancel the work.
        """
        awaited: asyncio.Future[T] = self._loop.create_future()
        work.add_done_callback(lambda future: self.post(partial(_copy_result, future, awaited)))
        return awaited

    def _run_queued(self) -> None:
        """Run all queued callbacks, before callbacks that they schedule on the loop."""
        self._is_woken = False
        while self._calls:
            try:
                self._calls.popleft()()
            except Exception as error:
                what = {"message": "a call in the queue failed", "exception": error}
                self._loop.call_exception_handler(what)


def resolve(
    awaited: asyncio.Future[T] | Future[T], value: T | None, failure: BaseException | None
) -> None:
    """Resolve a future with a value or an exception, unless it is cancelled.

    A future of a loop must be resolved on that loop.
    """
    if awaited.cancelled():
        return
    if failure is not None:
        awaited.set_exception(failure)
    else:
        awaited.set_result(value)  # type: ignore[arg-type]  # None is a result, too


def _copy_result(future: Future[T], awaited: asyncio.Future[T]) -> None:
    failure = future.exception()
    resolve(awaited, None if failure else future.result(), failure)


def is_running(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether this code runs on the loop."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def get_queue(loop: asyncio.AbstractEventLoop) -> LoopQueue:
    """The queue of this loop."""
    if loop not in _queues:
        _queues[loop] = LoopQueue(loop)
    return _queues[loop]


_queues: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, LoopQueue]] = WeakKeyDictionary()
