"""Pending replies: a stopping server sends them first."""

from __future__ import annotations

import asyncio
from typing import Any, Final, TypeVar

T = TypeVar("T")

PATIENCE: Final = 1.0
"""Seconds that each step of a stop waits for the database."""

_awaited: Final[set[asyncio.Future[Any]]] = set()
"""The pending replies of this process."""


async def track_reply(answer: asyncio.Future[T]) -> T:
    """Await a reply, and list it as pending until then."""
    _awaited.add(answer)
    try:
        return await answer
    finally:
        _awaited.discard(answer)


async def wait_for_replies() -> None:
    """Wait until all replies are sent, for :data:`PATIENCE` at most."""
    loop = asyncio.get_running_loop()
    await wait_for(*(answer for answer in _awaited if answer.get_loop() is loop))


async def wait_for(*works: asyncio.Future[Any]) -> None:
    """Wait for all of these, for :data:`PATIENCE` at most."""
    if works:
        await asyncio.wait(works, timeout=PATIENCE)
