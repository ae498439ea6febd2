"""Ending what runs beside: once more where the first word was lost."""

from __future__ import annotations

import asyncio


async def end(task: asyncio.Task[None]) -> None:
    """Cancel it until it has ended. A wait that is over at that very moment swallows a cancel.

    Raises what the task has failed with.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=1)
    if not task.cancelled():
        task.result()
