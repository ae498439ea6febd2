"""Replies that are still owed: a server that stops sends them first."""

from __future__ import annotations

import asyncio
from typing import Any, Final, TypeVar

T = TypeVar("T")

PATIENCE: Final = 1.0
"""Seconds for which each step of a stop waits for a database that may not answer."""

_awaited: Final[set[asyncio.Future[Any]]] = set()
"""What is being done for a page of this process."""


async def track_reply(answer: asyncio.Future[T]) -> T:
    """The answer to a page."""
    _awaited.add(answer)
    try:
        return await answer
    finally:
        _awaited.discard(answer)


async def given() -> None:
    """Wait until all pages have theirs, but not for long."""
    loop = asyncio.get_running_loop()
    await wait_for(*(answer for answer in _awaited if answer.get_loop() is loop))


async def wait_for(*works: asyncio.Future[Any]) -> None:
    """Wait for all of these, but not for long."""
    if works:
        await asyncio.wait(works, timeout=PATIENCE)
