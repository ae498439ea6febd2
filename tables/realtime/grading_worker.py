"""The grading worker: a thread that grades settled rounds, away from play.

A hand takes some milliseconds, and a new set of rules a second. The writer thread and the event loop
have no time for that, so this thread has its own connection, and rests after each round: as long as
the other threads are busy, up to a second. If more rounds are settled than it grades, they are graded
later. A round waits until its grade is committed (:mod:`tables.results.grades`), so a process that
starts after a crash grades what was left. On PostgreSQL one process of the site grades at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import structlog
from django.db import DataError, connection
from django.db import Error as DatabaseError

from accounts.lib.sql import optimistic
from tables.advice.grading import UngradableRound
from tables.advice.stored_rounds import grade_stored_round
from tables.lib.periodic_thread import PeriodicThread
from tables.models import Result
from tables.results import grades
from tables.results.grades import NewGrade

log = structlog.get_logger()

ROUNDS_AT_ONCE: Final = 20
"""The most rounds that are graded before they are stored together."""
REST: Final = 0.01
"""Seconds of rest after a round, for the threads that play."""
LONGEST_REST: Final = 1.0
"""The most seconds of rest, while they are busy."""
BUSY: Final = 0.25
"""The share of a core that the other threads use when they are busy."""
_SMOOTHING: Final = 0.15
"""The weight of the newest measurement: a thread that waits for the disk is still busy."""
_LOCK: Final = 1_869_768_059
"""The number of the advisory lock of the process that grades."""
_refused: Final[set[int]] = set()
"""Ids of rounds whose grades the database has refused. Another start tries them again."""


@contextmanager
def _only_one() -> Iterator[bool]:
    """Whether no other process is grading now. PostgreSQL releases the lock of a process that ends."""
    if connection.vendor == "sqlite":
        yield True
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        (is_mine,) = cursor.fetchone()
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:  # a pool keeps the connection, and its locks
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


class OtherThreads:
    """How busy the other threads of this process are."""

    def __init__(self) -> None:
        self.share = 0.0
        """The share of a core that they use, smoothed."""
        self._seconds, self._at = self._read_seconds(), time.monotonic()

    def measure(self) -> None:
        """Bring :attr:`share` up to date."""
        seconds, at = self._read_seconds(), time.monotonic()
        share = (seconds - self._seconds) / max(at - self._at, 1e-6)
        self.share += (share - self.share) * _SMOOTHING
        self._seconds, self._at = seconds, at

    def _read_seconds(self) -> float:
        return time.process_time() - time.thread_time()


_others: Final = OtherThreads()


def grade_batch(is_over: threading.Event | None = None, others: OtherThreads | None = None) -> bool:
    """Grade up to :data:`ROUNDS_AT_ONCE` rounds; return whether there may be more to do."""
    rounds = grades.list_waiting_rounds(ROUNDS_AT_ONCE, but=_refused)
    grades_by_round: dict[int, list[NewGrade]] = {}
    others = others or OtherThreads()
    for round_id in rounds:
        if is_over is not None and is_over.is_set():
            break  # what is computed is stored
        grades_by_round[round_id] = grade_round(round_id)
        rest(others, is_over)
    _store(grades_by_round)
    return bool(rounds) and not (is_over is not None and is_over.is_set())


def _store(grades_by_round: Mapping[int, Sequence[NewGrade]]) -> None:
    """Store the grades of rounds; if the database refuses some, those of the other rounds."""
    if not grades_by_round:
        return
    try:
        grades.store(grades_by_round)
    except (optimistic.Conflict, DataError) as error:
        if len(grades_by_round) > 1:
            for round_id, graded in grades_by_round.items():
                _store({round_id: graded})
        else:
            log.error("grade_refused", round_ids=list(grades_by_round), error=str(error))
            _refused.update(grades_by_round)


def rest(others: OtherThreads, is_over: threading.Event | None) -> None:
    """Rest for :data:`REST`, and again while the other threads of the process are busy."""
    until = time.monotonic() + LONGEST_REST
    while is_over is None or not is_over.is_set():
        time.sleep(REST)
        others.measure()
        if others.share < BUSY or time.monotonic() > until:
            break


def grade_round(round_id: int) -> list[NewGrade]:
    """Compute the grades of a round, for each of its players."""
    # The decisions on a backed hand are another player's.
    results = Result.objects.own().filter(round=round_id).defer("hands")
    try:
        graded = grade_stored_round(round_id)
        if missing := {result.seat for result in results} - graded.keys():
            raise UngradableRound(f"seats without cards: {sorted(missing)}")
        return [NewGrade(result, graded[result.seat].as_fields()) for result in results]
    except UngradableRound as error:
        log.warning("round_not_graded", round_id=round_id, error=str(error))
        return [NewGrade(result, {"fault": str(error)[:100]}) for result in results]
    except DatabaseError:
        raise
    except Exception as error:  # an error of this program: later rounds must not wait for it
        log.exception("grading_failed", round_id=round_id)
        return [NewGrade(result, {"fault": repr(error)[:100]}) for result in results]


def _grade_all(is_over: threading.Event) -> None:
    with _only_one() as is_mine:
        while is_mine and grade_batch(is_over, _others):
            pass


worker: Final = PeriodicThread("grading", _grade_all, seconds=5.0, longest_stop=2.0)
"""The thread of this process. A stop waits for the round in work."""
