"""Eager coroutines, on every supported Python and event loop.

Most frames can be sent without waiting, and waking a task for each costs more than sending it.
Python has eager tasks only from 3.12 on, and not on every event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from functools import partial
from types import coroutine
from typing import Any


def start_eagerly(work: Coroutine[Any, None, None]) -> asyncio.Task[None] | None:
    """Run a coroutine until it waits for the first time; return a task for the rest, if any.

    The first part runs in the caller's task, so it must not use the current task.
    """
    try:
        awaited = work.send(None)
    except StopIteration:
        return None
    return asyncio.get_running_loop().create_task(_finish(work, awaited))


async def _finish(work: Coroutine[Any, None, None], awaited: Any) -> None:
    """Run the rest. From Python 3.12 on a task needs a coroutine, not a generator."""
    await _resume(work, awaited)


@coroutine
def _resume(work: Coroutine[Any, None, None], awaited: Any) -> Generator[Any, Any, None]:
    """Yield what the coroutine waits for, to the event loop."""
    while True:
        try:
            answer = yield awaited
        except GeneratorExit:
            # At shutdown objects are finalised in any order: the coroutine may be closed already.
            work.close()
            raise
        except BaseException as error:
            go_on = partial(work.throw, error)
        else:
            go_on = partial(work.send, answer)
        try:
            awaited = go_on()
        except StopIteration:
            return
