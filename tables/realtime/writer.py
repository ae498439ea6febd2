"""The writer thread: all changes of this process, in batches, one transaction each.

Without load each change is one transaction. Under load the thread executes all waiting jobs in one
transaction, so that one disk sync serves many; commands of players share their statements as well.
A result is delivered after its commit, never before.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Final, TypeVar

import structlog
from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError, connection, transaction

from accounts.lib import server_clock
from tables import metrics
from tables.game import commands
from tables.game.commands import CommandResult, QueuedCommand
from tables.lib.loop_queue import resolve
from tables.lib.wal_checkpoints import checkpoints
from tables.realtime import epochs
from tables.state import locking
from tables.state.effects import Effects

T = TypeVar("T")
log = structlog.get_logger()

MAX_BATCH: Final = 64
MAX_ATTEMPTS: Final = 3


JobCallback = Callable[[T | None, Exception | None], None]
"""A callback with the result of a job, or its exception."""


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[], Any]
    table_id: int
    is_alone: bool
    order: QueuedCommand | None
    then: JobCallback[Any]


class Writer:
    """One thread that owns one database connection. Starts with the first job."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def submit(
        self,
        work: Callable[[], T],
        *,
        table_id: int = 0,
        alone: bool = False,
        on_commit: Callable[[T], None] | None = None,
    ) -> Future[T]:
        """Run ``work`` in the writer thread; the future resolves after its commit.

        ``work`` opens its own transaction and may be called again if that failed. The future
        cannot be cancelled: a command survives its socket. Work that locks other tables than
        ``table_id`` must run ``alone``, outside the transaction of a batch. ``on_commit`` is called in
        the writer thread with the result, in commit order, before the future resolves. It is not
        called if the work failed.
        """
        result: Future[T] = Future()
        result.set_running_or_notify_cancel()
        self.submit_then(work, partial(_resolve, result, on_commit), table_id=table_id, alone=alone)
        return result

    def submit_then(
        self,
        work: Callable[[], T],
        then: JobCallback[T],
        *,
        table_id: int = 0,
        alone: bool = False,
    ) -> None:
        """:meth:`submit` with a callback in the writer thread, also for a failure."""
        self._put(_Job(work, table_id, alone, None, then))

    def submit_command(self, order: QueuedCommand, then: JobCallback[CommandResult]) -> None:
        """Execute a player's command, in one batch with other waiting ones.

        ``then`` is called in the writer thread after the commit, with the result or with the
        exception of :func:`tables.game.commands.execute_one`.
        """

        def work() -> CommandResult:
            return commands.execute_one(order, server_clock.now())

        self._put(_Job(work, order.table_id, is_alone=False, order=order, then=then))

    def _put(self, job: _Job) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
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

    def _run(self) -> None:
        is_stopping = False
        while not is_stopping:
            jobs = [self._waiting.get()]
            while len(jobs) < MAX_BATCH and not self._waiting.empty():
                jobs.append(self._waiting.get())
            is_stopping = None in jobs
            taken = [job for job in jobs if job]
            _run_jobs([job for job in taken if not job.is_alone])
            for job in taken:
                if job.is_alone:
                    _run_alone(job)
            checkpoints.request()
        connection.close()


def _run_jobs(jobs: list[_Job]) -> None:
    """Execute the jobs, several in one transaction.

    All tables are locked first, in the order of their ids. Batches of two processes that use the
    same wallets at several tables may still deadlock; the database then aborts one of them, and
    its jobs are executed one by one.
    """
    if len(jobs) > 1:
        try:
            epochs.of_process.verify_epoch()
            with transaction.atomic():
                done = _run_in_one_transaction(jobs)
        except Exception as error:
            log.warning("batch_failed", jobs=len(jobs), error=repr(error))
            metrics.FAILED_BATCHES.inc()
            _close_broken_connection()
        else:
            for job, value, failure in done:
                _call_back(job, value, failure)
            finished = {id(job) for job, _, _ in done}
            jobs = [job for job in jobs if id(job) not in finished]
    for job in jobs:
        _run_alone(job)


def _run_in_one_transaction(jobs: list[_Job]) -> list[tuple[_Job, Any, Exception | None]]:
    """Execute jobs in one transaction; return their results in order. Missing ones must run alone.

    Consecutive commands of players share their statements.
    """
    if not all(job.order for job in jobs):
        locking.lock_tables({job.table_id for job in jobs})
    done: list[tuple[_Job, Any, Exception | None]] = []
    for are_orders, group in groupby(jobs, key=lambda job: job.order is not None):
        some = list(group)
        done += _run_commands(some) if are_orders else [(job, *_run_nested(job)) for job in some]
    return done


def _run_commands(jobs: list[_Job]) -> list[tuple[_Job, Any, Exception | None]]:
    orders = [job.order for job in jobs if job.order is not None]
    done: list[tuple[_Job, Any, Exception | None]] = []
    outcomes = commands.execute(orders, server_clock.now())
    for job, outcome in zip(jobs, outcomes, strict=True):
        if isinstance(outcome, Effects):
            done.append((job, outcome, None))
        elif not isinstance(outcome, commands.NEEDS_MORE):
            done.append((job, None, outcome))
    return done


def _run_alone(job: _Job) -> None:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            epochs.of_process.verify_epoch()
            value = job.work()
        except (OperationalError, InterfaceError) as error:
            _close_broken_connection()
            if attempt == MAX_ATTEMPTS:
                _call_back(job, None, error)
        except Exception as error:
            _call_back(job, None, error)
            return
        else:
            _call_back(job, value, None)
            return


def _run_nested(job: _Job) -> tuple[Any, Exception | None]:
    """Run the job; its own transaction is a savepoint here.

    Database errors are raised: they may have broken the whole transaction, and PostgreSQL would
    answer its COMMIT with a silent rollback.
    """
    try:
        return job.work(), None
    except DatabaseError:
        raise
    except Exception as error:
        return None, error


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


def _call_back(job: _Job, value: Any, failure: Exception | None) -> None:
    """Call the job's callback; log its error, so that the other callbacks run."""
    try:
        job.then(value, failure)
    except Exception:
        log.exception("outcome_lost", table_id=job.table_id)


def _close_broken_connection() -> None:
    """Close a connection that may be broken, and compare epochs again: the database may be restored."""
    connection.close()
    epochs.of_process.invalidate()


writer: Final = Writer()
"""The writer of this process."""
