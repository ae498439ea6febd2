"""What pages wait for: a server that stops gives its answers first."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from tables import mailbox

T = TypeVar("T")

PATIENCE: Final = 1.0
"""Seconds for which each step of a stop waits for a database that may not answer."""

_awaited: Final[set[asyncio.Future[Any]]] = set()
"""What is being done for a page of this process."""


async def of(work: Future[T]) -> T:
    """What came of it."""
    answer = mailbox.of(asyncio.get_running_loop()).result_of(work)
    _awaited.add(answer)
    answer.add_done_callback(_awaited.discard)
    return await answer


async def given() -> None:
    """Wait until all pages have theirs, but not for long."""
    loop = asyncio.get_running_loop()
    await wait_for(*(answer for answer in _awaited if answer.get_loop() is loop))


async def wait_for(*works: asyncio.Future[Any]) -> None:
    """Wait for all of these, but not for long."""
    if works:
        await asyncio.wait(works, timeout=PATIENCE)
