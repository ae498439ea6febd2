"""The timer that applies deadlines on time. It runs in every process.

The deadline is in the table's row and is checked there under its lock, so several timers do not
conflict. This task sleeps until the next deadline and then starts the check. It also detects
outages and clock changes, after which deadlines are extended.
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
"""Seconds. The delay of deadlines that a killed process had set. It is shorter than an outage, so
they do not count as missed."""
OUTAGE: Final = recovery.OUTAGE.total_seconds()
"""Seconds of delay that count as an outage of the process or the database."""
FAILURE_PAUSE: Final = 1.0
"""Seconds between an error and the next try."""

TimedChange = Callable[[int, dt.datetime], tuple[ChangeNotice, ...]]


class DeadlineTimer:
    """The deadline timer of one process."""

    def __init__(self) -> None:
        self._early = asyncio.Event()
        self._wakes_at: dt.datetime | None = None
        self._seen_awake = time.monotonic()

    def expect(self, deadline_at: dt.datetime | None) -> None:
        """Wake up at ``deadline_at`` at the latest."""
        if deadline_at is None:
            return
        if self._wakes_at is None or deadline_at + deadlines.GRACE < self._wakes_at:
            self._early.set()

    async def run(self) -> None:
        """Sleep until the next deadline and apply overdue ones, in an endless loop."""
        while not await self._run_step(self._resume_tables):
            pass
        while True:
            await self._run_step(self._sleep)
            await self._run_step(self._apply_overdue)

    async def _run_step(self, step: Callable[[], Awaitable[None]]) -> bool:
        """Run a step; log an error and return false, because the loop must not end."""
        try:
            await step()
        except Exception:
            log.exception("clock_failed")
            metrics.CLOCK_FAILURES.inc()
            await asyncio.sleep(FAILURE_PAUSE)
            return False
        return True

    async def _sleep(self) -> None:
        """Sleep until the next deadline, or until a command sets an earlier one."""
        self._wakes_at = None
        self._early.clear()
        deadline_at, was_set_by = await dispatch.run_without_publishing(_read_clock_and_deadline)
        if abs(was_set_by) > OUTAGE:
            log.warning("clock_was_set", seconds=round(was_set_by, 1))
            await self._resume_tables()
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
            await self._resume_tables()

    async def _resume_tables(self) -> None:
        await dispatch.run_without_publishing(idle_seats.restart_all_timers)
        tables = await dispatch.run_without_publishing(_list_timed_tables)
        await self._change_each(tables, recovery.resume_after_outage)

    async def _apply_overdue(self) -> None:
        overdue = await dispatch.run_without_publishing(deadlines.list_overdue_tables)
        await self._change_each(overdue, deadlines.apply_deadline)

    async def _change_each(self, tables: list[int], change: TimedChange) -> None:
        """Make the change at each table; an error at one does not affect the others."""
        failed = []
        for table_id in tables:
            work = partial(_to_effects, change, table_id)
            try:
                await dispatch.run_async(work)
            except Exception:
                log.exception("clock_failed_at_table", table_id=table_id)
                metrics.CLOCK_FAILURES.inc()
                failed.append(table_id)
        if failed:
            await asyncio.sleep(FAILURE_PAUSE)


def _read_clock_and_deadline(_now: dt.datetime) -> tuple[dt.datetime | None, float]:
    """The next deadline, and by how many seconds the clock was changed since the last call."""
    was_set_by = server_clock.measure()
    epochs.of_process.invalidate()  # compared at the next job of the writer
    return deadlines.find_next_deadline(), was_set_by


def _list_timed_tables(_now: dt.datetime) -> list[int]:
    server_clock.measure()
    return deadlines.list_timed_tables()


def _to_effects(change: TimedChange, table_id: int, now: dt.datetime) -> Effects[None]:
    return Effects(None, change(table_id, now))
