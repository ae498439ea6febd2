"""Gauges, read when metrics are collected."""

from __future__ import annotations

import math

from django.db import Error as DatabaseError
from django.db.models import Count, F

from accounts.lib import server_clock
from accounts.maintenance import SiteStatus
from accounts.models import AlertKind
from tables import metrics
from tables.game import deadlines
from tables.models import Alert, AuditRun, Backup, Report, Seat, Table, Void
from tables.protocol.topics import parse_table
from tables.realtime.hub import hub
from tables.realtime.writers.loop_writer import loop_writer
from tables.realtime.writers.writer import writer

_FROM_DATABASE = (
    metrics.ROUNDS_IN_PLAY, metrics.SEATS_TAKEN, metrics.OVERDUE_DEADLINES,
    metrics.AUDIT_FINISHED, metrics.AUDIT_FAULTS, metrics.TABLES.labels("open"),
    metrics.TABLES.labels("paused"), metrics.BACKUP_FINISHED, metrics.MAINTENANCE,
    *(metrics.WAITING.labels(kind) for kind in ("report", "void", "rack")),
    *(metrics.ALERTS.labels(kind) for kind in AlertKind.values),
)  # fmt: skip


def update_gauges() -> None:
    """Set every gauge. Without the database, the gauges read from it are set to NaN."""
    at_tables = (topic for topic in hub.topics() if parse_table(topic) is not None)
    metrics.SOCKETS.set(hub.count())
    metrics.VIEWERS.set(sum(len(hub.get_sockets(topic)) for topic in at_tables))
    metrics.WRITER_QUEUE.set(writer.waiting + loop_writer.waiting)
    is_connected = hub.is_relay_connected
    metrics.REDIS_UP.set(math.nan if is_connected is None else is_connected)
    try:
        _update_database_gauges()
    except DatabaseError:
        metrics.DATABASE_UP.set(0)
        for gauge in _FROM_DATABASE:
            gauge.set(math.nan)
    else:
        metrics.DATABASE_UP.set(1)


def _update_database_gauges() -> None:
    tables = Table.objects.filter(closed_at=None).order_by()
    playing = deadlines.filter_in_play().count()
    paused = tables.filter(is_paused_by_host=False).exclude(paused_at=None).count()
    overdue = Table.objects.filter(deadlines.build_late_condition(server_clock.now())).count()
    # The newest finished one: another may be running.
    audit = AuditRun.objects.exclude(finished_at=None).first()
    finished_at = audit.finished_at if audit else None
    metrics.TABLES.labels("open").set(tables.count())
    metrics.TABLES.labels("paused").set(paused)
    metrics.ROUNDS_IN_PLAY.set(playing)
    metrics.SEATS_TAKEN.set(Seat.objects.count())
    metrics.OVERDUE_DEADLINES.set(overdue)
    metrics.AUDIT_FINISHED.set(finished_at.timestamp() if finished_at else 0)
    metrics.AUDIT_FAULTS.set(len(audit.faults) if audit else 0)
    backup = Backup.load_newest()
    metrics.BACKUP_FINISHED.set(backup.finished_at.timestamp() if backup else 0)
    metrics.MAINTENANCE.set(SiteStatus(server_clock.now()).maintenance is not None)
    _update_waiting()


def _update_waiting() -> None:
    empty = Table.objects.filter(closed_at=None, auto_filled__gt=F("fill_limit"))
    waiting = {
        "report": Report.objects.filter(answered_at=None),
        "void": Void.objects.filter(status=Void.Status.WAITING),
        "rack": empty.exclude(paused_at=None),
    }
    for kind, rows in waiting.items():
        metrics.WAITING.labels(kind).set(rows.order_by().count())
    counted = Alert.objects.filter(ended_at=None).order_by().values("kind")
    numbers = dict(counted.annotate(number=Count("pk")).values_list("kind", "number"))
    for kind in AlertKind.values:
        metrics.ALERTS.labels(kind).set(numbers.get(kind, 0))
