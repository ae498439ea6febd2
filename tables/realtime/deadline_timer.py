"""The timer that applies deadlines in time. It runs in every process; several do no harm.

The truth is the table's row: what is due is decided there, behind its lock. This task only makes
sure that somebody looks in time, and sleeps until then. It also notices when the house was away,
or when its clock was set: then nobody's time has run out.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

import structlog

from accounts.lib import server_clock
from tables import metrics
from tables.game import deadlines, recovery
from tables.realtime import dispatch, epochs
from tables.state import idle_seats
from tables.state.effects import ChangeNotice, Effects

log = structlog.get_logger()

LONGEST_SLEEP: Final = 2.0
"""Seconds. Deadlines that another process set are found this late, if that process died. It is
less than an outage: they are not taken for missed."""
OUTAGE: Final = recovery.OUTAGE.total_seconds()
"""Seconds by which the clock is late when the whole process was asleep or the database away, and
not just busy."""
FAILURE_PAUSE: Final = 1.0
"""Seconds after something failed, so that it is not tried without end."""

TimedChange = Callable[[int, dt.datetime], tuple[ChangeNotice, ...]]


class DeadlineTimer:
    """The clock of one process."""

    def __init__(self) -> None:
        self._early = asyncio.Event()
        self._wakes_at: dt.datetime | None = None
        self._seen_awake = time.monotonic()

    def expect(self, deadline_at: dt.datetime | None) -> None:
        """Be awake at ``deadline_at``."""
        if deadline_at is None:
            return
        if self._wakes_at is None or deadline_at + deadlines.GRACE < self._wakes_at:
            self._early.set()

    async def run(self) -> None:
        """For ever: sleep until the next deadline, and apply what is overdue."""
        while not await self._try(self._resume):
            pass
        while True:
            await self._try(self._sleep)
            await self._try(self._apply_overdue)

    async def _try(self, step: Callable[[], Awaitable[None]]) -> bool:
        """A clock that stops hangs every table, so a failed step is logged and time goes on."""
        try:
            await step()
        except Exception:
            log.exception("clock_failed")
            metrics.CLOCK_FAILURES.inc()
            await asyncio.sleep(FAILURE_PAUSE)
            return False
        return True

    async def _sleep(self) -> None:
        """Until the next deadline, or a command that sets an earlier one."""
        self._wakes_at = None
        self._early.clear()
        deadline_at, was_set_by = await dispatch.run_without_publishing(_look)
        if abs(was_set_by) > OUTAGE:
            log.warning("clock_was_set", seconds=round(was_set_by, 1))
            await self._resume()
            return
        began = server_clock.now()
        longest = began + dt.timedelta(seconds=LONGEST_SLEEP)
        self._wakes_at = min(deadline_at + deadlines.GRACE, longest) if deadline_at else longest
        seconds = max((self._wakes_at - began).total_seconds(), 0)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._early.wait(), seconds)
        awake = time.monotonic()
        away, self._seen_awake = awake - self._seen_awake - LONGEST_SLEEP, awake
        if away > OUTAGE:
            log.warning("was_away", seconds=round(away, 1))
            await self._resume()

    async def _resume(self) -> None:
        await dispatch.run_without_publishing(idle_seats.restart_all_timers, alone=True)
        tables = await dispatch.run_without_publishing(_tables_with_a_clock)
        await self._at_each(tables, recovery.resume_after_outage)

    async def _apply_overdue(self) -> None:
        overdue = await dispatch.run_without_publishing(deadlines.overdue_tables)
        await self._at_each(overdue, deadlines.apply_deadline)

    async def _at_each(self, tables: list[int], change: TimedChange) -> None:
        """Make the change at each table. One that fails must not stop the clocks of the others."""
        failed = []
        for table_id in tables:
            work = partial(_effects_of, change, table_id)
            try:
                await dispatch.run_async(work, table_id=table_id)
            except Exception:
                log.exception("clock_failed_at_table", table_id=table_id)
                metrics.CLOCK_FAILURES.inc()
                failed.append(table_id)
        if failed:
            await asyncio.sleep(FAILURE_PAUSE)


def _look(_now: dt.datetime) -> tuple[dt.datetime | None, float]:
    """When the next decision runs out, and by how many seconds the clock was set meanwhile."""
    was_set_by = server_clock.measure()
    epochs.of_process.invalidate()  # with the next work of the writer
    return deadlines.next_deadline(), was_set_by


def _tables_with_a_clock(_now: dt.datetime) -> list[int]:
    server_clock.measure()
    return deadlines.tables_with_a_clock()


def _effects_of(change: TimedChange, table_id: int, now: dt.datetime) -> Effects[None]:
    return Effects(None, change(table_id, now))
