"""The timer that applies deadlines on time. It runs in every process.

The deadline is in the table's row and is checked there under its lock, so several timers do not
conflict. Every two seconds this task reads the deadlines of the next two, and adds those that its own
process sets. It sleeps until the first of them and then starts the check. No index has the deadlines,
since each command would write it. The task also detects outages and clock changes, after which
deadlines are extended.
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

from accounts.lib import log_context, server_clock
from tables import metrics
from tables.game import deadlines, recovery
from tables.lib.database.outages import is_outage
from tables.realtime import dispatch, epochs
from tables.state import idle_seats
from tables.state.effects import ChangeNotice, Effects

log = structlog.get_logger()

LONGEST_SLEEP: Final = 2.0
"""Seconds from one look at all deadlines to the next: the delay of those that a killed process had
set. It is shorter than an outage, so they do not count as missed."""
_SLEEP: Final = dt.timedelta(seconds=LONGEST_SLEEP)
OUTAGE: Final = recovery.OUTAGE.total_seconds()
"""Seconds of delay that count as an outage of the process or the database."""
FAILURE_PAUSE: Final = 1.0
"""Seconds between an error and the next try."""

TimedChange = Callable[[int, dt.datetime], tuple[ChangeNotice, ...]]


class DeadlineTimer:
    """The deadline timer of one process."""

    def __init__(self) -> None:
        self._early = asyncio.Event()
        self._due: dict[int, dt.datetime] = {}
        """The deadlines until :attr:`_horizon`, by table id. A decision may have come since."""
        self._horizon = dt.datetime.min.replace(tzinfo=dt.UTC)
        self._looks_at = 0.0
        """When to read them again, by the monotonic clock."""
        self._awake_at = time.monotonic()
        self._looked_at = time.monotonic()

    @property
    def seconds_since_look(self) -> float:
        """The time since the deadlines were read, or since the start."""
        return time.monotonic() - self._looked_at

    def expect(self, table_id: int, deadline_at: dt.datetime | None) -> None:
        """Wake up at the deadline of this table at the latest."""
        if deadline_at is not None and deadline_at <= self._horizon:
            self._note(table_id, deadline_at)
            self._early.set()

    def _note(self, table_id: int, deadline_at: dt.datetime) -> None:
        self._due[table_id] = min(deadline_at, self._due.get(table_id, deadline_at))

    async def run(self) -> None:
        """Sleep until the next deadline and apply overdue ones, in an endless loop."""
        while not await self._run_step(self._resume_tables):
            pass
        while True:
            await self._run_step(self._sleep)
            await self._run_step(self._apply_overdue)

    async def _run_step(self, step: Callable[[], Awaitable[None]]) -> bool:
        """Run a step; log an error and return false, because the loop must not end. The writer logs an
        outage.
        """
        try:
            await step()
        except Exception as error:
            if not is_outage(error):
                log.exception("clock_failed")
            metrics.CLOCK_FAILURES.inc()
            await asyncio.sleep(FAILURE_PAUSE)
            return False
        return True

    async def _sleep(self) -> None:
        """Sleep until the next deadline, or until a command sets an earlier one."""
        self._early.clear()
        if time.monotonic() >= self._looks_at:
            await self._look()
        seconds = self._looks_at - time.monotonic()
        if self._due:
            first = min(self._due.values()) + deadlines.GRACE
            seconds = min(seconds, (first - server_clock.now()).total_seconds())
        with suppress(TimeoutError):
            await asyncio.wait_for(self._early.wait(), max(seconds, 0))
        awake = time.monotonic()
        away, self._awake_at = awake - self._awake_at - LONGEST_SLEEP, awake
        if away > OUTAGE:
            log.warning("was_away", seconds=round(away, 1))
            await self._resume_tables()

    async def _look(self) -> None:
        """Read the deadlines until the next look."""
        looks_at = time.monotonic() + LONGEST_SLEEP
        # Before they are read: one that is set meanwhile may not be among them.
        self._horizon = server_clock.now() + _SLEEP
        times, was_set_by = await dispatch.run_without_publishing(_read_clock_and_deadlines)
        if abs(was_set_by) > OUTAGE:
            log.warning("clock_was_set", seconds=round(was_set_by, 1))
            await self._resume_tables()
            return
        self._looks_at, self._looked_at = looks_at, time.monotonic()
        for table_id, deadline_at in times.items():
            self._note(table_id, deadline_at)

    async def _resume_tables(self) -> None:
        await dispatch.run_without_publishing(idle_seats.restart_all_timers)
        tables = await dispatch.run_without_publishing(_list_timed_tables)
        await self._change_each(tables, recovery.resume_after_outage)

    async def _apply_overdue(self) -> None:
        """Apply the deadlines that have passed. Where that fails, the next look finds them again."""
        now = server_clock.now()
        due = [table for table, at in self._due.items() if at + deadlines.GRACE <= now]
        for table_id in due:
            del self._due[table_id]
        if due:
            overdue = await dispatch.run_without_publishing(
                lambda now: deadlines.list_overdue_tables(now, due)
            )
            await self._change_each(overdue, deadlines.apply_deadline)

    async def _change_each(self, tables: list[int], change: TimedChange) -> None:
        """Make the change at each table; an error at one does not affect the others."""
        failed = []
        for table_id in tables:
            work = partial(_to_effects, change, table_id)
            try:
                with log_context.bound({"table_id": table_id}):
                    await dispatch.run_async(work)
            except Exception:
                log.exception("clock_failed_at_table", table_id=table_id)
                metrics.CLOCK_FAILURES.inc()
                failed.append(table_id)
        if failed:
            await asyncio.sleep(FAILURE_PAUSE)


def _read_clock_and_deadlines(_now: dt.datetime) -> tuple[dict[int, dt.datetime], float]:
    """The next deadlines, and by how many seconds the clock was changed since the last call."""
    was_set_by = server_clock.measure()
    epochs.of_process.invalidate()  # compared at the next job of the writer
    return deadlines.list_deadlines(server_clock.now() + _SLEEP), was_set_by


def _list_timed_tables(_now: dt.datetime) -> list[int]:
    server_clock.measure()
    return deadlines.list_timed_tables()


def _to_effects(change: TimedChange, table_id: int, now: dt.datetime) -> Effects[None]:
    return Effects(None, change(table_id, now))
