"""Commands of players in the event loop, where the database is SQLite.

The naive way hands each command to the writer thread. Two threads then compete for the interpreter,
and waking one another takes as long as a short transaction. So bets and decisions run in the loop,
all that arrived in one turn of it in one transaction, on a connection of its own. They use no ORM.
What needs it, or fails in another way than by a refusal, goes to the writer thread, which repeats it
from the beginning: nothing was written.

The loop never waits for SQLite's lock: if another connection has it, the loop tries again soon.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any, Final

import structlog
from django.core.exceptions import SynchronousOnlyOperation
from django.db import Error as DatabaseError
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.lib import server_clock
from accounts.lib.sql import driver
from accounts.lib.sql.optimistic import Conflict
from tables.game import commands
from tables.game.commands import CommandResult, QueuedCommand
from tables.lib.wal_checkpoints import checkpoints
from tables.protocol.commands import Decision
from tables.realtime import epochs
from tables.realtime.writer import (
    MAX_BATCH,
    Job,
    JobCallback,
    build_job,
    call_back,
    deliver,
    writer,
)

log = structlog.get_logger()

RETRY_SECONDS: Final = 0.001
"""The pause while another connection has the lock."""
PATIENCE_SECONDS: Final = 20.0
"""How long that is tried, as on other connections (``timeout`` in ``settings.py``)."""


class LoopWriter:
    """Executes commands in the loop in which it was started."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connection: BaseDatabaseWrapper | None = None
        self._is_asked = False
        """Whether the writer thread was asked for a connection, or to verify the epoch."""
        self._jobs: deque[Job] = deque()
        self._is_scheduled = False
        self._gives_up_at: float | None = None

    def start(self) -> None:
        """Accept commands on the running loop, if the database is SQLite."""
        if driver.get_connection().vendor == "sqlite":
            self._loop = asyncio.get_running_loop()

    def stop(self) -> None:
        """Accept no more commands. Those that wait are left to the writer thread."""
        self._hand_over([*self._jobs])
        self._jobs.clear()
        self._close()
        self._loop = None

    @property
    def waiting(self) -> int:
        """The number of commands in the queue."""
        return len(self._jobs)

    def accepts(self, order: QueuedCommand) -> bool:
        """Whether a command can be executed in the running loop."""
        return self._loop is not None and isinstance(order.command, Decision)

    def submit_command(self, order: QueuedCommand, then: JobCallback[CommandResult]) -> None:
        """Execute a command at the end of this turn of the loop.

        ``then`` is called on the loop, or in the writer thread if the command went there.
        """
        self._jobs.append(build_job(order, then))
        self._schedule()

    def _schedule(self, seconds: float = 0) -> None:
        if self._is_scheduled or self._loop is None:
            return
        self._is_scheduled = True
        if seconds:
            self._loop.call_later(seconds, self._run)
        else:
            self._loop.call_soon(self._run)

    def _run(self) -> None:
        """Execute the waiting commands in one transaction."""
        self._is_scheduled = False
        if not self._jobs or self._connection is None or not epochs.of_process.is_sure:
            self._prepare()
            return
        now = server_clock.now()
        jobs = [self._jobs.popleft() for _ in range(min(MAX_BATCH, len(self._jobs)))]
        try:
            with driver.use_in_loop(self._connection):
                outcomes = commands.execute([job.order for job in jobs if job.order], now)
        except OperationalError as error:
            if is_locked(error):
                self._try_later(jobs, error)
            else:
                self._close()
                self._hand_over(jobs)
        except (SynchronousOnlyOperation, Conflict):
            self._hand_over(jobs)
        except Exception as error:
            if isinstance(error, DatabaseError):
                self._close()
            log.info("loop_batch_failed", jobs=len(jobs), error=repr(error))
            self._hand_over(jobs)
        else:
            self._gives_up_at = None
            checkpoints.request()
            self._hand_over(deliver(jobs, outcomes))
        if self._jobs:
            self._schedule()

    def _prepare(self) -> None:
        """Ask the writer thread for a connection and to verify the epoch; the commands wait."""
        if self._jobs and not self._is_asked:
            self._is_asked = True
            is_missing = self._connection is None
            # The thread verifies the epoch before any job.
            writer.submit_then(
                lambda: driver.open_for_loop() if is_missing else None, self._after_preparation
            )

    def _after_preparation(
        self, opened: BaseDatabaseWrapper | None, failure: Exception | None
    ) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._go_on, opened, failure)
        elif opened is not None:
            opened.connection.close()

    def _go_on(self, opened: BaseDatabaseWrapper | None, failure: Exception | None) -> None:
        self._is_asked = False
        if self._loop is None:  # stopped
            if opened is not None:
                opened.connection.close()
            return
        if opened is not None:
            self._connection = opened
        if failure is not None:
            self._hand_over([*self._jobs])
            self._jobs.clear()
        self._run()

    def _try_later(self, jobs: list[Job], error: OperationalError) -> None:
        now = time.monotonic()
        if self._gives_up_at is None:
            self._gives_up_at = now + PATIENCE_SECONDS
        if now < self._gives_up_at:
            self._jobs.extendleft(reversed(jobs))
            self._schedule(RETRY_SECONDS)
        else:
            self._gives_up_at = None
            for job in jobs:
                call_back(job, None, error)

    def _hand_over(self, jobs: list[Job]) -> None:
        for job in jobs:
            writer.submit_job(job)

    def _close(self) -> None:
        """Close the connection, which may be broken; another one is opened for the next commands."""
        if self._connection is not None:
            self._connection.connection.close()
            self._connection = None


def is_locked(error: OperationalError) -> bool:
    """Whether another connection has SQLite's lock."""
    cause: Any = error.__cause__
    return getattr(cause, "sqlite_errorname", "").startswith("SQLITE_BUSY")


loop_writer: Final = LoopWriter()
"""The loop writer of this process."""
