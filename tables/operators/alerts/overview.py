"""The alerts that an operator may do something about, for the badge and the page of alerts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.urls import reverse

from accounts.models import AlertKind, User, WaitingChange
from accounts.staff import roles
from tables.models import Alert, AlertDelivery, Report, Void
from tables.operators.alerts.conditions import MOST

PERMISSIONS: Final = {
    AlertKind.REPORT: ("tables.answer_report",),
    AlertKind.VOID: ("tables.approve_void",),
    AlertKind.ACCOUNT: ("accounts.approve_user",),
    AlertKind.CHANGE: (roles.APPROVE,),
    AlertKind.RACK: ("tables.fill_rack", "tables.run_table"),
    AlertKind.BAND: ("tables.view_books",),
    AlertKind.AUDIT: ("tables.view_books",),
    AlertKind.BACKUP: ("accounts.maintain",),
    AlertKind.PROCESS: ("accounts.maintain",),
}
"""Who may do something about it: one of these is enough."""
PERMISSION: Final = "tables.view_alert"
MOST_OPEN: Final = MOST * len(AlertKind)
MOST_ENDED: Final = 20
MOST_COUNTED: Final = 99


@dataclass(frozen=True, slots=True)
class ShownAlert:
    """An alert on the page of alerts."""

    alert: Alert
    path: str
    deliveries: tuple[AlertDelivery, ...]
    seen_by: str


def list_kinds(user: User | AnonymousUser) -> list[AlertKind]:
    """The kinds of alerts that this operator may do something about."""
    if not user.has_perm(PERMISSION):
        return []
    return [kind for kind, needed in PERMISSIONS.items() if any(map(user.has_perm, needed))]


def filter_for(user: User | AnonymousUser) -> QuerySet[Alert]:
    """The alerts of this operator's kinds, without what the operator requested and what is about the
    operator.
    """
    voids = Void.objects.filter(status=Void.Status.WAITING, asked_by=user.pk)
    is_of_user = Q(asked_by=user.pk) | Q(user=user.pk)
    changes = WaitingChange.objects.filter(is_of_user, status=WaitingChange.Status.WAITING)
    return Alert.objects.filter(
        ~Q(_is_about(voids), kind=AlertKind.VOID),
        ~Q(_is_about(changes), kind=AlertKind.CHANGE),
        ~Q(_is_about(Report.objects.filter(about=user.pk)), kind=AlertKind.REPORT),
        kind__in=list_kinds(user),
    )


def _is_about(rows: QuerySet[Any]) -> Exists:
    """Whether the subject of an alert is one of these rows."""
    subject = Concat(Value(f"{rows.model._meta.model_name}:"), Cast("pk", CharField()))
    subjects = rows.order_by().annotate(alert_subject=subject)
    return Exists(subjects.filter(alert_subject=OuterRef("subject")))


def count_waiting(user: User | AnonymousUser) -> int:
    """The number of the badge: open alerts that nobody has marked as seen, :data:`MOST_COUNTED` at most."""
    waiting = filter_for(user).filter(ended_at=None, seen_at=None).order_by()
    return len(waiting.values_list("pk", flat=True)[:MOST_COUNTED])


def list_open(user: User | AnonymousUser) -> list[ShownAlert]:
    """The open alerts, oldest first."""
    return _build(filter_for(user).filter(ended_at=None).order_by("since", "pk")[:MOST_OPEN], user)


def list_ended(user: User | AnonymousUser) -> list[ShownAlert]:
    """The last ended alerts, newest first."""
    ended = filter_for(user).filter(ended_at__isnull=False).order_by("-ended_at", "-pk")
    return _build(ended[:MOST_ENDED], user)


def _build(rows: QuerySet[Alert], user: User | AnonymousUser) -> list[ShownAlert]:
    alerts = list(rows.select_related("seen_by"))
    deliveries: dict[int, list[AlertDelivery]] = {}
    for each in AlertDelivery.objects.filter(alert__in=[one.pk for one in alerts]):
        deliveries.setdefault(each.alert_id, []).append(each)
    return [
        ShownAlert(
            alert,
            _find_path(alert, user),
            tuple(deliveries.get(alert.pk, ())),
            alert.seen_by.username if alert.seen_by else "",
        )
        for alert in alerts
    ]


def _find_path(alert: Alert, user: User | AnonymousUser) -> str:
    """Where this operator sees to it. Who may not fill a rack may still resume the table."""
    if alert.kind == AlertKind.RACK and not user.has_perm("tables.fill_rack"):
        return reverse("admin:floor_table", args=[alert.subject.partition(":")[2]])
    return alert.path


def mark_seen(alert: Alert, user_id: int, now: dt.datetime) -> bool:
    """Mark an open alert as seen. Returns false if it was, or is over."""
    rows = Alert.objects.filter(pk=alert.pk, ended_at=None, seen_at=None)
    return bool(rows.update(seen_at=now, seen_by=user_id))
