"""Bets and decisions of players in the event loop, where the database is SQLite.

The writer thread would compete with the loop for the interpreter, and waking one another takes as
long as a short transaction. So these commands run in the loop, all that arrived in one turn of it in
one transaction, on a connection of its own. Most of them need no ORM. One that does (such as the bet
of a player with a limit), or that fails in another way than by a refusal, goes to the writer thread,
which repeats it from the beginning: nothing of it was written.

The loop never waits for SQLite's lock: if another connection has it, the loop tries again soon.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import structlog
from django.core.exceptions import SynchronousOnlyOperation
from django.db import InterfaceError, OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.lib import log_context, server_clock
from accounts.lib.sql import driver
from tables.game import commands
from tables.game.commands import CommandResult, QueuedCommand
from tables.lib import loop_queue
from tables.lib.database.wal_checkpoints import checkpoints
from tables.protocol.commands import TurnCommand
from tables.realtime import epochs
from tables.realtime.writers.writer import (
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
"""How long a command waits for it, as on other connections (``timeout`` in ``settings.py``)."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    job: Job
    gives_up_at: float
    """By the monotonic clock: when it no longer waits for the lock."""


_Opened = tuple[BaseDatabaseWrapper, str]
"""A connection, and the epoch that was verified before it was opened."""


class LoopWriter:
    """Executes commands in the loop in which it was started."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connection: BaseDatabaseWrapper | None = None
        self._epoch = ""
        """That of the database when the connection was opened."""
        self._is_asked = False
        """Whether the writer thread was asked for a connection, or to verify the epoch."""
        self._jobs: deque[_Waiting] = deque()
        self._next: asyncio.Handle | None = None
        """The scheduled turn."""

    def start(self) -> None:
        """Accept commands on the running loop, if the database is SQLite."""
        # Not driver.get_connection(): Django has another connection on a running loop.
        if connection.vendor == "sqlite":
            self._loop = asyncio.get_running_loop()

    def stop(self) -> None:
        """Accept no more commands. Those that wait are left to the writer thread."""
        self._hand_over_all()
        self._close()
        if self._next is not None:
            self._next.cancel()
        self._loop, self._next, self._is_asked = None, None, False

    @property
    def waiting(self) -> int:
        """The number of commands in the queue."""
        return len(self._jobs)

    def accepts(self, queued: QueuedCommand) -> bool:
        """Whether a command can be executed in the running loop."""
        return self._loop is not None and isinstance(queued.command, TurnCommand)

    def submit_command(self, queued: QueuedCommand, then: JobCallback[CommandResult]) -> None:
        """Execute a command at the end of this turn of the loop.

        ``then`` is called on the loop, or in the writer thread if the command went there.
        """
        self._jobs.append(_Waiting(build_job(queued, then), time.monotonic() + PATIENCE_SECONDS))
        self._schedule()

    def _schedule(self, seconds: float = 0) -> None:
        if self._next is None and self._loop is not None:
            self._next = self._loop.call_later(seconds, self._run)

    def _run(self) -> None:
        """Execute the waiting commands in one transaction."""
        self._next = None
        if not self._is_ready():
            self._prepare()
            return
        jobs = [self._jobs.popleft() for _ in range(min(MAX_BATCH, len(self._jobs)))]
        with log_context.bound(log_context.NONE):  # the loop has those of whoever came first
            self._execute(jobs)
        if self._jobs:
            self._schedule()

    def _is_ready(self) -> bool:
        """Whether there is a connection, opened in the epoch that is known to be that of the database."""
        guard = epochs.of_process
        return self._connection is not None and guard.is_sure and guard.epoch == self._epoch

    def _execute(self, waiting: list[_Waiting]) -> None:
        """Execute commands in one transaction; if that fails, one by one. One that finds the lock
        taken waits, and those after it, so that none overtakes another.
        """
        error = self._try(waiting)
        if error is not None and len(waiting) > 1 and not is_locked(error):
            for number, one in enumerate(waiting):
                error = self._try([one])
                if error is not None and is_locked(error):
                    self._try_later(waiting[number:])
                    return
                if error is not None:
                    self._leave_to_writer(one.job, error)
        elif error is not None and is_locked(error):
            self._try_later(waiting)
        elif error is not None:
            self._leave_to_writer(waiting[0].job, error)

    def _try(self, waiting: list[_Waiting]) -> Exception | None:
        """Execute commands in one transaction. Returns the error if nothing was written."""
        jobs = [one.job for one in waiting]
        if self._connection is None:
            self._hand_over(jobs)
            return None
        try:
            with driver.use_in_loop(self._connection):
                outcomes = commands.execute(
                    [job.queued for job in jobs if job.queued], server_clock.now()
                )
        except Exception as error:
            if isinstance(error, OperationalError | InterfaceError) and not is_locked(error):
                self._close()
                epochs.of_process.invalidate()
            return error
        checkpoints.request()
        self._hand_over(deliver(jobs, outcomes))
        return None

    def _leave_to_writer(self, job: Job, error: Exception) -> None:
        if not isinstance(error, SynchronousOnlyOperation):
            with log_context.bound(job.log_ids):
                log.info("loop_command_failed", error=repr(error))
        self._hand_over([job])

    def _prepare(self) -> None:
        """Ask the writer thread for a connection and to verify the epoch; the commands wait."""
        loop = self._loop
        if not self._jobs or self._is_asked or loop is None:
            return
        self._is_asked, epoch = True, self._epoch if self._connection is not None else None

        def open_connection() -> _Opened | None:
            # The thread has verified the epoch: it does so before each job. In a new one the file
            # may be another, and a connection to the old one would still be writable.
            verified = epochs.of_process.epoch
            return (driver.open_for_loop(), verified) if verified != epoch else None

        def then(opened: _Opened | None, failure: Exception | None) -> None:
            loop_queue.get_queue(loop).post(partial(self._go_on, loop, opened, failure))

        writer.submit_then(open_connection, then)

    def _go_on(
        self,
        loop: asyncio.AbstractEventLoop,
        opened: _Opened | None,
        failure: Exception | None,
    ) -> None:
        if self._loop is not loop:  # stopped in the meantime
            if opened is not None:
                opened[0].connection.close()
            return
        self._is_asked = False
        if opened is not None:
            self._close()
            self._connection, self._epoch = opened
        if failure is not None:
            self._hand_over_all()
        if self._jobs and self._next is None:
            self._run()

    def _try_later(self, waiting: list[_Waiting]) -> None:
        """Queue commands again, and answer those that have waited too long for the lock."""
        now = time.monotonic()
        self._jobs.extendleft(one for one in reversed(waiting) if one.gives_up_at > now)
        for one in waiting:
            if one.gives_up_at <= now:
                call_back(one.job, None, OperationalError("database is locked"))
        if self._jobs:
            self._schedule(RETRY_SECONDS)

    def _hand_over(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            writer.submit_job(job)

    def _hand_over_all(self) -> None:
        self._hand_over([one.job for one in self._jobs])
        self._jobs.clear()

    def _close(self) -> None:
        """Close the connection, which may be broken; another one is opened for the next commands."""
        if self._connection is not None:
            self._connection.connection.close()
            self._connection = None


def is_locked(error: Exception) -> bool:
    """Whether another connection has SQLite's lock."""
    cause: Any = error.__cause__
    is_busy = getattr(cause, "sqlite_errorname", "").startswith("SQLITE_BUSY")
    return is_busy and isinstance(error, OperationalError)


loop_writer: Final = LoopWriter()
"""The loop writer of this process."""
