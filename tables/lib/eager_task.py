"""Eager coroutines, on every supported Python and event loop.

Most frames can be sent, and most commands submitted, without waiting, and a task for each would take
as long as that. Python has eager tasks only from 3.12 on, and not on every event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from contextvars import copy_context
from functools import partial
from types import coroutine
from typing import Any


def start_eagerly(work: Coroutine[Any, None, None]) -> asyncio.Task[None] | None:
    """Run a coroutine until it waits for the first time; return a task for the rest, if any.

    The first part runs in the caller's task, so it must not use the current task. All of it has one
    copy of the caller's context.
    """
    context = copy_context()
    try:
        awaited = context.run(work.send, None)
    except StopIteration:
        return None
    return asyncio.get_running_loop().create_task(_finish(work, awaited), context=context)


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
