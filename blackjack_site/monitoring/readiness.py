"""Whether this process can serve: the database and its disk, the writer thread, the deadline timer, Redis.

Each part is asked in a thread of its own, for a second at most, and not again while it has not
answered. A result is valid for a second, so that requests for it cost nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from functools import partial
from typing import Final

import structlog
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from tables.lib.database import file
from tables.lib.database.move_marker import UnservableDatabase
from tables.lib.loop_queue import resolve
from tables.realtime import runtime
from tables.realtime.writers.writer import writer

log = structlog.get_logger()

PATIENCE_SECONDS: Final = 1.0
"""How long all parts together are waited for."""
VALID_SECONDS: Final = 1.0
CLOCK_SECONDS: Final = 10.0
"""The timer looks at the deadlines every two seconds; one change may take longer."""


class NotReady(Exception):
    """A part does not work. The message says so in plain words, and has no secret."""


class Readiness:
    """The parts of this process, as they were last. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open_questions: dict[str, Future[None]] = {}
        """The questions that are not answered yet."""
        self._faults: list[str] = []
        self._valid_until = 0.0
        self._migrations: frozenset[tuple[str, str]] = frozenset()
        """All that there are, once they have been applied."""

    def find_faults(self) -> list[str]:
        """A sentence for each part that does not work; none if the process is ready."""
        with self._lock:
            if time.monotonic() >= self._valid_until:
                faults = self._ask_all()
                if faults and not self._faults:
                    log.warning("not_ready", because=faults)
                elif self._faults and not faults:
                    log.warning("ready")
                self._faults = faults
                self._valid_until = time.monotonic() + VALID_SECONDS
            return self._faults

    def forget(self) -> None:
        """Ask again at the next call."""
        self._valid_until = 0.0

    def _ask_all(self) -> list[str]:
        until = time.monotonic() + PATIENCE_SECONDS
        answers = {name: self._ask(name, question) for name, question in self._questions().items()}
        faults = []
        for name, answer in answers.items():
            try:
                answer.result(max(0, until - time.monotonic()))
            except NotDone:
                faults.append(f"{name} does not answer")
                continue
            except NotReady as fault:
                faults.append(str(fault))
            except UnservableDatabase as fault:
                faults.append(str(fault))
            except Exception:  # of a driver: its message may name a user or a host
                faults.append(f"{name} is out of reach")
            self._open_questions.pop(name, None)
        return list(dict.fromkeys(faults))

    def _questions(self) -> Mapping[str, Callable[[], Future[None]]]:
        questions: dict[str, Callable[[], Future[None]]] = {
            "the database": partial(_run_in_thread, self._ask_database)
        }
        if connection.vendor == "sqlite":
            questions["the disk"] = partial(_run_in_thread, _ask_disk)
        if runtime.is_running():
            questions["the writer"] = _ask_writer
            questions["the clock"] = partial(_run_in_thread, _ask_clock)
        if settings.REDIS_URL:
            questions["Redis"] = partial(_run_in_thread, _ask_redis)
        return questions

    def _ask(self, name: str, question: Callable[[], Future[None]]) -> Future[None]:
        """Ask a part, unless it has not answered the last time."""
        if name not in self._open_questions:
            self._open_questions[name] = question()
        return self._open_questions[name]

    def _ask_database(self) -> None:
        if self._migrations:
            applied = MigrationRecorder(connection).applied_migrations().keys()
            is_migrated = applied >= self._migrations
        else:
            executor = MigrationExecutor(connection)
            is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
            if is_migrated:
                self._migrations = frozenset(executor.loader.applied_migrations)
        if not is_migrated:
            raise NotReady("the database is not migrated")


def _ask_writer() -> Future[None]:
    """The writer compares epochs before each job, so it also asks whether play is possible."""
    return writer.submit(lambda: None)


def _ask_disk() -> None:
    try:
        file.verify_disk()
    except OSError as error:
        raise NotReady(f"the disk cannot be written ({error.strerror})") from error


def _ask_clock() -> None:
    if runtime.get_clock_age() > CLOCK_SECONDS:
        raise NotReady("the clock has not looked at the deadlines lately")


def _ask_redis() -> None:
    from redis import Redis

    with Redis.from_url(
        settings.REDIS_URL, socket_timeout=PATIENCE_SECONDS, socket_connect_timeout=PATIENCE_SECONDS
    ) as redis:
        redis.ping()


def _run_in_thread(work: Callable[[], None]) -> Future[None]:
    result: Future[None] = Future()
    threading.Thread(target=partial(_run, work, result), name="readiness", daemon=True).start()
    return result


def _run(work: Callable[[], None], result: Future[None]) -> None:
    failure: Exception | None = None
    try:
        work()
    except Exception as error:
        failure = error
    finally:
        connection.close()
    resolve(result, None, failure)


of_process: Final = Readiness()
"""The readiness of this process."""
