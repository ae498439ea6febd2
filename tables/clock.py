"""Fires deadlines that have passed. Runs in every server process; several do no harm.

The truth is the table's row: what is due is decided there, behind its lock. This task only makes
sure that somebody looks in time, and sleeps until then.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from django.utils import timezone

from tables import house
from tables.house import Committed
from tables.writer import writer

log = structlog.get_logger()

LONGEST_SLEEP: Final = 5.0
"""Seconds. Deadlines that another process set are found this late, if that process died."""
OUTAGE: Final = 5.0
"""Seconds by which the clock oversleeps when the whole process was asleep, not just busy."""

Publish = Callable[[tuple[Committed, ...]], None]


class Clock:
    """The clock of one process."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._early = asyncio.Event()
        self._wakes_at: dt.datetime | None = None

    def expect(self, deadline_at: dt.datetime | None) -> None:
        """Be awake at ``deadline_at``."""
        if deadline_at and self._wakes_at and deadline_at + house.GRACE < self._wakes_at:
            self._early.set()

    async def run(self) -> None:
        """For ever: sleep until the next deadline, and apply what is overdue."""
        await self._report(self._extend)
        while True:
            await self._report(self._sleep)
            await self._report(self._apply_overdue)

    async def _report(self, step: Callable[[], Awaitable[None]]) -> None:
        """A clock that stops hangs every table, so a failed step is logged and done again."""
        try:
            await step()
        except Exception:
            log.exception("clock_failed")
            await asyncio.sleep(1)

    async def _sleep(self) -> None:
        deadline_at = await asyncio.wrap_future(writer.submit(house.next_deadline))
        longest = timezone.now() + dt.timedelta(seconds=LONGEST_SLEEP)
        due_at = min(deadline_at + house.GRACE, longest) if deadline_at else longest
        self._wakes_at = due_at
        self._early.clear()
        seconds = (due_at - timezone.now()).total_seconds()
        try:
            await asyncio.wait_for(self._early.wait(), max(seconds, 0))
        except TimeoutError:
            if (timezone.now() - due_at).total_seconds() > OUTAGE:
                await self._extend()

    async def _extend(self) -> None:
        await asyncio.wrap_future(writer.submit(lambda: house.forgive_absence(timezone.now())))
        extended = await asyncio.wrap_future(
            writer.submit(lambda: house.extend_deadlines(timezone.now()))
        )
        self._publish(extended)

    async def _apply_overdue(self) -> None:
        overdue = await asyncio.wrap_future(
            writer.submit(lambda: house.overdue_tables(timezone.now()))
        )
        for table_id in overdue:
            self._publish(await self._run_out(table_id))

    async def _run_out(self, table_id: int) -> tuple[Committed, ...]:
        work = writer.submit(lambda: house.run_out(table_id, timezone.now()), table_id=table_id)
        return await asyncio.wrap_future(work)
