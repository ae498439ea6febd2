"""Coroutines that begin at once: in order, and as patient as any task."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from tables.lib import eager_task


async def test_what_waits_for_nothing_is_done_at_once() -> None:
    steps: list[str] = []

    async def work() -> None:
        steps.append("all of it")

    assert eager_task.start_eagerly(work()) is None
    assert steps == ["all of it"]


async def test_the_rest_is_done_when_what_it_waits_for_comes() -> None:
    steps: list[object] = []
    first: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    second = asyncio.Event()

    async def work() -> None:
        steps.append("begun")
        steps.append(await first)
        await asyncio.sleep(0)
        await second.wait()
        async with asyncio.timeout(1):  # a task by now
            steps.append("ended")

    rest = eager_task.start_eagerly(work())
    assert rest is not None
    assert steps == ["begun"]
    first.set_result("the first")
    await asyncio.sleep(0.01)
    assert steps == ["begun", "the first"]
    second.set()
    await rest
    assert steps[-1] == "ended"


async def test_both_parts_have_one_context_and_the_caller_keeps_its_own() -> None:
    name = ContextVar("name", default="nobody")
    go_on = asyncio.Event()
    values: list[str] = []

    async def work() -> None:
        token = name.set("its own")
        await go_on.wait()
        values.append(name.get())
        name.reset(token)
        values.append(name.get())

    name.set("of the caller")
    rest = eager_task.start_eagerly(work())
    assert rest is not None
    assert name.get() == "of the caller"
    go_on.set()
    await rest
    assert values == ["its own", "of the caller"]


async def test_what_fails_is_raised_where_it_is_awaited() -> None:
    awaited: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    messages: list[str] = []

    async def work() -> None:
        try:
            await awaited
        except OSError as error:
            messages.append(str(error))
        raise ValueError("of its own")

    rest = eager_task.start_eagerly(work())
    assert rest is not None
    awaited.set_exception(OSError("of the line"))
    with pytest.raises(ValueError, match="of its own"):
        await rest
    assert messages == ["of the line"]


async def test_it_can_be_cancelled() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cleaned up")

    rest = eager_task.start_eagerly(work())
    assert rest is not None
    await asyncio.sleep(0)
    rest.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rest
    assert ended == ["cleaned up"]


async def test_case_46_work_that_was_closed_first_lets_its_rest_be_closed() -> None:
    """As happens where both are garbage: no error is raised that nobody can catch."""
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cleaned up")

    for is_closed_first in (True, False):
        begun = work()
        rest = eager_task._finish(begun, begun.send(None))
        rest.send(None)
        if is_closed_first:
            begun.close()
        rest.close()
    assert ended == ["cleaned up"] * 2
