"""Audit runs from the operators' page: one at a time, with progress.

The audit reads on its own connection, in a snapshot of one moment, and cannot write there. Progress
is stored by the writer thread.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

import structlog
from django.db import connection, transaction
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.ledger import audit as accounts_audit
from accounts.ledger.audit import ReportProgress, read_snapshot
from accounts.lib import server_clock
from accounts.lib.pagination import first_page
from accounts.lists.id_ranges import TimeRange, filter_times
from accounts.models import Act, HouseSettings
from tables.audit import rounds as tables_audit
from tables.models import AuditRun
from tables.realtime.writers.writer import writer

log = structlog.get_logger()

MOST_FAULTS: Final = 100
"""The limit of stored errors; one more sentence says that there are more."""
_TELL_SECONDS = 1.0
LOST_AFTER: Final = dt.timedelta(seconds=30)
"""A run without progress for this long has ended."""
PAGE: Final = 20
"""The number of listed runs."""

STEPS: dict[str, str | Promise] = {
    "balances": _("Balances against transfers"),
    "chains": _("Transfers in sequence"),
    "transfers": _("Rebuys, reversals and adjustments"),
    "book_days": _("Daily totals"),
    "tables": _("Tables: bets and changes"),
    "booked": _("Accounting against rounds"),
    "rounds": _("Rounds against accounting"),
    "voids": _("Void rounds"),
    "takings": _("Revenue against hands"),
    "results": _("Results, stats and the leaderboard"),
    "grades": _("Grades against cards and results"),
}
"""In the order of execution."""


def find_all_faults(report: ReportProgress) -> Iterator[str]:
    """Yield a sentence for each error. Call it within :func:`read_snapshot`."""
    return chain(accounts_audit.find_faults(report), tables_audit.find_round_faults(report))


def list_runs(
    started: TimeRange, before: int | None = None, size: int = PAGE
) -> tuple[list[AuditRun], int | None]:
    """``size`` runs that began at these times, newest first, and the next cursor."""
    runs = AuditRun.objects.select_related("started_by").order_by("-pk")
    return first_page(filter_times(runs, "started_at", started), size, before)


def is_lost(run: AuditRun, now: dt.datetime) -> bool:
    """Whether the process of the run ended during it."""
    return run.finished_at is None and run.seen_at < now - LOST_AFTER


def create_run(operator: Operator | None, now: dt.datetime) -> AuditRun | None:
    """Store the begin of an audit, by an operator or the command line. ``None`` while one runs."""
    with transaction.atomic():
        HouseSettings.objects.select_for_update().get()  # serialises concurrent starts
        running = Q(finished_at=None, seen_at__gte=now - LOST_AFTER)
        if AuditRun.objects.filter(running).exists():
            return None
        run = AuditRun.objects.create(
            started_at=now, seen_at=now, started_by_id=operator.user_id if operator else None
        )
        if operator is not None:
            audit_log.record(operator, Act.What.AUDIT, audit_log.build_subject(run), at=now)
    return run


def start_run(operator: Operator, now: dt.datetime) -> AuditRun | None:
    """Run the audit in a new thread. ``None`` while one runs."""
    run = create_run(operator, now)
    if run is not None:
        thread = threading.Thread(target=_run_in_thread, args=(run,), name="audit", daemon=True)
        transaction.on_commit(thread.start)  # it reads committed data
    return run


def _run_in_thread(run: AuditRun) -> None:
    try:
        execute_run(run)
    finally:
        connection.close()


def execute_run(run: AuditRun) -> list[str]:
    """Execute a run; store and return its errors.

    A stored value that cannot be read ends the run: what was found before is an error as well.
    """
    word = _ProgressWriter(run.pk)
    word.start()
    faults: list[str] = []
    try:
        with read_snapshot():
            faults.extend(islice(find_all_faults(word.report), MOST_FAULTS + 1))
    except Exception as error:
        log.exception("audit_failed", run=run.pk)
        message = gettext("the audit stopped with an error: %(error)r")
        faults.append(message % {"error": error})
    finally:
        if len(faults) > MOST_FAULTS:
            faults[MOST_FAULTS:] = [gettext("there are more differences")]
        word.finish(faults)
    return faults


@dataclass(frozen=True, slots=True)
class _ProgressState:
    step: str = ""
    done: int = 0
    of: int = 0


class _ProgressWriter:
    """Stores the progress of an audit every second, also during a long statement."""

    def __init__(self, run_id: int) -> None:
        self._run_id = run_id
        self._progress = _ProgressState()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._write_loop, name="audit-word", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def report(self, step: str, done: int, of: int) -> None:
        """Set the progress; called by the audit."""
        self._progress = _ProgressState(step, done, of)

    def finish(self, faults: list[str]) -> None:
        """Store the errors, after the last progress."""
        self._is_over.set()
        self._thread.join()
        now = server_clock.now()
        self._write(finished_at=now, seen_at=now, faults=faults, step="", done=0, of=0).result()

    def _write_loop(self) -> None:
        while not self._is_over.wait(_TELL_SECONDS):
            state = self._progress
            self._write(seen_at=server_clock.now(), step=state.step, done=state.done, of=state.of)

    def _write(self, **values: object) -> Future[int]:
        run = AuditRun.objects.filter(pk=self._run_id)
        return writer.submit(lambda: run.update(**values))
