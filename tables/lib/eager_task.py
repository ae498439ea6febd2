"""Coroutines that begin at once, on every Python and every event loop.

Most frames are taken by the line the moment they are sent. A task that is woken for each of them
takes longer than sending them. Python 3.12 has eager tasks, and not every event loop has them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from functools import partial
from types import coroutine
from typing import Any


def start_eagerly(work: Coroutine[Any, None, None]) -> asyncio.Task[None] | None:
    """Do the work now as far as it waits for nothing; the rest of it is a task, if there is any.

    What comes first runs in no task of its own: it may not ask for the current one.
    """
    try:
        awaited = work.send(None)
    except StopIteration:
        return None
    return asyncio.get_running_loop().create_task(_finish(work, awaited))


async def _finish(work: Coroutine[Any, None, None], awaited: Any) -> None:
    """Do the rest. A task takes a coroutine alone, and no generator, from Python 3.12 on."""
    await _rest_of(work, awaited)


@coroutine
def _rest_of(work: Coroutine[Any, None, None], awaited: Any) -> Generator[Any, Any, None]:
    """What the loop is to wait for, one after the other, as the work itself would have told it."""
    while True:
        try:
            answer = yield awaited
        except GeneratorExit:
            # What nobody waits for is cleared away in any order: the work may be closed by now.
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
