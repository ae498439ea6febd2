"""The writer thread: changes of this process, in batches, one transaction each.

Without load each change is one transaction. Under load the thread executes the waiting commands of
players in one transaction, so that one disk sync and one set of statements serve many. A result is
delivered after its commit, never before. On SQLite bets and decisions do not come here, but run in
the event loop (:mod:`tables.realtime.writers.loop_writer`).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, Final, TypeVar

import structlog
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import InterfaceError, NotSupportedError, OperationalError, connection

from accounts.ledger.transfers import InsufficientFunds
from accounts.lib import log_context, server_clock
from accounts.lib.sql import optimistic
from tables import metrics
from tables.engine.errors import RuleViolation
from tables.game import commands
from tables.game.commands import CommandResult, QueuedCommand
from tables.lib import error_text
from tables.lib.database.wal_checkpoints import checkpoints
from tables.lib.loop_queue import resolve
from tables.realtime import epochs, publishing
from tables.state.effects import Effects

T = TypeVar("T")
log = structlog.get_logger()

MAX_BATCH: Final = 64
GATHER_SECONDS: Final = 0.002
"""Under load, how long the thread of one of several processes waits for more commands: each has only
some of the tables, and a transaction of few commands takes nearly as long as one of many.
"""
MAX_ATTEMPTS: Final = 3
UNREACHABLE_SECONDS: Final = 1.0
"""After a failed attempt to connect, how long jobs fail at once: each would wait in its turn, and
commands would get no reply during an outage.
"""
PROBE_SECONDS: Final = 2
"""How long an attempt to connect takes at most while PostgreSQL is known to be out of reach: jobs wait."""
EXPECTED_FAILURES: Final = (optimistic.Conflict, RuleViolation, InsufficientFunds)
"""What ends a batch although nothing is wrong: another process was faster, a command was sent again, or
one is refused when it is written. A program error among them is an error again when its command runs
alone.
"""


JobCallback = Callable[[T | None, Exception | None], None]
"""A callback with the result of a job, or its exception."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work, and the callback for its result."""

    work: Callable[[], Any]
    then: JobCallback[Any]
    queued: QueuedCommand | None = None
    """The command of a player that ``work`` executes alone."""
    log_ids: log_context.Ids = field(default_factory=log_context.get_ids)
    """The ids on log lines, of whoever submits the job."""


def build_job(queued: QueuedCommand, then: JobCallback[CommandResult]) -> Job:
    """The job of a player's command."""

    def work() -> CommandResult:
        return commands.execute_one(queued, server_clock.now(), publishing.publish_threadsafe)

    return Job(work, then, queued)


_Queue = queue.SimpleQueue[Job | None]


class _Reach:
    """Whether PostgreSQL can be reached by the thread. Logs the begin and the end of an outage."""

    def __init__(self) -> None:
        self._failure: OperationalError | None = None
        self._valid_until = 0.0
        self.has_waited = False
        """Whether the pool's patience has passed already."""

    def connect(self) -> None:
        """Open the connection, unless it is open. Raises ``OperationalError`` if that fails, and at once
        for :data:`UNREACHABLE_SECONDS` after that. SQLite needs no such care: nothing waits for a file.
        """
        if connection.connection is not None or connection.vendor == "sqlite":
            return
        if self._failure is not None and time.monotonic() < self._valid_until:
            raise OperationalError(*self._failure.args) from self._failure.__cause__
        try:
            self._open()
        except OperationalError as error:
            if self._failure is None:
                log.warning("database_out_of_reach", error=error_text.describe(error))
            self._failure = error
            self._valid_until = time.monotonic() + UNREACHABLE_SECONDS
            raise
        if self._failure is not None:
            log.warning("database_back")
            self._failure = None

    def _open(self) -> None:
        has_waited, self.has_waited = self.has_waited or self._failure is not None, False
        if not has_waited:
            # The pool tries for some seconds, so nobody notices a short restart.
            with suppress(OperationalError):
                connection.ensure_connection()
                return
        _renew_pool()
        connection.ensure_connection()


def _renew_pool() -> None:
    """Replace PostgreSQL's pool of connections. Raises ``OperationalError`` while there can be none.

    A pool pauses before each attempt to connect, for up to minutes, and pages wait in it. They fail at
    once when it is closed.
    """
    postgresql: Any = connection
    if getattr(postgresql, "pool", None) is not None:
        postgresql.pool.close(timeout=0)  # its threads may be in an attempt, which Django waits for
        postgresql.close_pool()
        params = postgresql.get_connection_params() | {"connect_timeout": PROBE_SECONDS}
        with postgresql.wrap_database_errors:
            postgresql.Database.connect(**params).close()


class Writer:
    """One thread that owns one database connection. Starts with the first job."""

    def __init__(self) -> None:
        self._waiting: _Queue = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def submit(
        self, work: Callable[[], T], *, on_commit: Callable[[T], None] | None = None
    ) -> Future[T]:
        """Run ``work`` in the writer thread; the future resolves after its commit.

        ``work`` opens its own transaction and may be called again if that failed. The future
        cannot be cancelled: a command survives its socket. ``on_commit`` is called in the writer
        thread with the result, in commit order, before the future resolves. It is not called if
        the work failed.
        """
        result: Future[T] = Future()
        result.set_running_or_notify_cancel()
        self.submit_then(work, partial(_resolve, result, on_commit))
        return result

    def submit_then(self, work: Callable[[], T], then: JobCallback[T]) -> None:
        """:meth:`submit` with a callback in the writer thread, also for a failure."""
        self._put(Job(work, then))

    def submit_command(self, queued: QueuedCommand, then: JobCallback[CommandResult]) -> None:
        """Execute a player's command, in one batch with other waiting ones.

        ``then`` is called in the writer thread after the commit, with the result or with the
        exception of :func:`tables.game.commands.execute_one`.
        """

        self._put(build_job(queued, then))

    def submit_job(self, job: Job) -> None:
        """Execute a job that was built elsewhere."""
        self._put(job)

    def _put(self, job: Job) -> None:
        with self._lock:
            if self._thread is None:
                # Its own queue: an earlier thread may still finish its own.
                self._waiting = queue.SimpleQueue()
                self._thread = threading.Thread(
                    target=_run, args=[self._waiting], name="writer", daemon=True
                )
                self._thread.start()
            self._waiting.put(job)

    @property
    def waiting(self) -> int:
        """The number of jobs in the queue."""
        return self._waiting.qsize()

    def stop(self, seconds: float | None = None) -> None:
        """Finish the queue, close the connection and end the thread.

        Waits ``seconds`` at most, by default without a limit. Jobs that a hanging database delays
        longer are not answered, so they may be abandoned.
        """
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._waiting.put(None)
        if thread is not None:
            thread.join(seconds)


def _run(waiting: _Queue) -> None:
    """Execute the jobs of a queue until ``None`` comes."""
    is_stopping = is_busy = False
    while not is_stopping:
        first = waiting.get()
        if is_busy and settings.REDIS_URL:
            # A pause, not a wait for the next job: that one would come too early for a large batch.
            time.sleep(GATHER_SECONDS)
        jobs = [first]
        while len(jobs) < MAX_BATCH and not waiting.empty():
            jobs.append(waiting.get())
        is_stopping, is_busy = None in jobs, len(jobs) > 1
        _run_and_answer([job for job in jobs if job])
        checkpoints.request()
    connection.close()


def _run_and_answer(jobs: list[Job]) -> None:
    """:func:`_run_jobs`; an error of the writer itself is the outcome of all its jobs, and the thread
    goes on.
    """
    try:
        _run_jobs(jobs)
    except Exception as error:
        log.exception("writer_failed", jobs=len(jobs))
        for job in jobs:
            call_back(job, None, error)


def _run_jobs(jobs: list[Job]) -> None:
    """Execute the jobs in order, with consecutive commands of players in one transaction."""
    for are_commands, group in groupby(jobs, key=lambda job: job.queued is not None):
        some = list(group)
        for job in _run_commands(some) if are_commands and len(some) > 1 else some:
            _run_alone(job)


def _run_commands(jobs: list[Job]) -> list[Job]:
    """Execute commands in one transaction; return those that have to run alone.

    Batches of two processes with the same players at several tables may conflict or deadlock;
    then one of them is rolled back, and its commands are executed one by one.
    """
    try:
        _reach.connect()
        epochs.of_process.verify_epoch()
        outcomes = commands.execute([job.queued for job in jobs if job.queued], server_clock.now())
    except EXPECTED_FAILURES as error:
        log.info("batch_split", jobs=len(jobs), error=repr(error))
        return jobs
    except Exception as error:
        log.warning("batch_failed", jobs=len(jobs), error=repr(error))
        metrics.FAILED_BATCHES.inc()
        if isinstance(error, DatabaseError):
            _close_broken_connection(error)
        return jobs
    return deliver(jobs, outcomes)


def deliver(jobs: list[Job], outcomes: list[commands.Outcome]) -> list[Job]:
    """Call the jobs back with their outcomes; return those that have to run alone."""
    alone = []
    for job, outcome in zip(jobs, outcomes, strict=True):
        if isinstance(outcome, Effects):
            call_back(job, outcome, None)
        elif isinstance(outcome, commands.NEEDS_MORE):
            alone.append(job)
        else:
            call_back(job, None, outcome)
    return alone


def _run_alone(job: Job) -> None:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            _reach.connect()
        except Exception as error:
            call_back(job, None, error)
            return
        try:
            epochs.of_process.verify_epoch()
            with log_context.bound(job.log_ids):
                value = job.work()
        except (OperationalError, InterfaceError, NotSupportedError) as error:
            # The last one: a prepared statement after a change of its table.
            _close_broken_connection(error)
            if attempt == MAX_ATTEMPTS:
                with log_context.bound(job.log_ids):
                    log.warning("job_failed", error=repr(error))
                call_back(job, None, error)
        except Exception as error:
            call_back(job, None, error)
            return
        else:
            call_back(job, value, None)
            return


def _resolve(
    result: Future[T],
    on_commit: Callable[[T], None] | None,
    value: T | None,
    failure: Exception | None,
) -> None:
    """Call ``on_commit``, then resolve the future."""
    try:
        if on_commit is not None and failure is None:
            on_commit(value)  # type: ignore[arg-type]  # None is a result, too
    finally:
        resolve(result, value, failure)


def call_back(job: Job, value: Any, failure: Exception | None) -> None:
    """Call the job's callback; log its error, so that the other callbacks run."""
    try:
        job.then(value, failure)
    except Exception:
        with log_context.bound(job.log_ids):
            log.exception("outcome_lost")


def _close_broken_connection(error: Exception) -> None:
    """Close a connection that may be broken, and compare epochs again: the database may be restored.

    A deadlock or a lock that came too late breaks none: PostgreSQL goes on with its statements prepared.
    """
    may_go_on = connection.vendor != "sqlite" and not isinstance(error, NotSupportedError)
    if may_go_on and connection.is_usable():
        return
    connection.close()
    epochs.of_process.invalidate()
    pool = getattr(connection, "pool", None)
    if pool is None:
        return
    from psycopg_pool import PoolTimeout

    if isinstance(error.__cause__, PoolTimeout):  # Django has tried to connect again
        _reach.has_waited = True
    else:
        # Those of pages may be broken, too. A page that finds them one by one waits longer each time.
        pool.check()


_reach: Final = _Reach()

writer: Final = Writer()
"""The writer of this process."""
