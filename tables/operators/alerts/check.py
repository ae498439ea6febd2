"""Opens and closes alerts, and creates the deliveries about them.

Any process may do it at any time: an alert is opened once, because the database has one open alert for
a subject, and closed once, because only one update finds it open.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import override

from accounts.models import AlertKind, HouseSettings
from accounts.models.alerts import parse_kinds
from tables.models import Alert, AlertDelivery, AlertSchedule
from tables.operators.alerts.conditions import BAND_KINDS, QUICK_KINDS, Condition, list_conditions

EVERY: Final = dt.timedelta(seconds=30)
BANDS_EVERY: Final = dt.timedelta(minutes=10)
PROCESS_PATIENCE: Final = dt.timedelta(seconds=60)
"""A process may have been unable to report, because the database was away for a while."""
RETENTION: Final = dt.timedelta(days=90)
"""How long ended alerts are kept."""
_ROW: Final = 1

Channel = AlertDelivery.Channel
Event = AlertDelivery.Event


def check_if_due(now: dt.datetime) -> None:
    """Check what is due. Of several processes, the one that moves the time does it."""
    row, is_new = AlertSchedule.objects.get_or_create(
        pk=_ROW, defaults={"due_at": now, "bands_due_at": now}
    )
    if row.due_at > now and row.due_at <= now + EVERY and not is_new:  # not if a clock was set back
        return
    rows = AlertSchedule.objects.filter(pk=_ROW, due_at=row.due_at)
    if not rows.update(due_at=now + EVERY):
        return
    kinds = QUICK_KINDS
    bands = AlertSchedule.objects.filter(pk=_ROW, bands_due_at__lte=now)
    if bands.update(bands_due_at=now + BANDS_EVERY):
        kinds = kinds | BAND_KINDS
        Alert.objects.filter(ended_at__lt=now - RETENTION).delete()
    check(now, kinds)


def check(now: dt.datetime, kinds: Collection[AlertKind] = QUICK_KINDS) -> None:
    """Compare the open alerts of these kinds with the conditions that hold."""
    settings = HouseSettings.objects.get(pk=1)
    with override("en"):  # one language for all operators
        conditions = {(one.kind, one.subject): one for one in list_conditions(kinds, settings, now)}
    for alert in Alert.objects.filter(ended_at=None, kind__in=kinds):
        condition = conditions.pop((AlertKind(alert.kind), alert.subject), None)
        if condition is None:
            _close(alert, settings, now)
        elif condition.text != alert.text:
            Alert.objects.filter(pk=alert.pk).update(text=condition.text)
    for condition in conditions.values():
        _open(condition, settings, now)


def _open(condition: Condition, settings: HouseSettings, now: dt.datetime) -> None:
    defaults = {
        "text": condition.text, "path": condition.path, "since": condition.since, "opened_at": now,
    }  # fmt: skip
    with transaction.atomic():
        alert, is_new = Alert.objects.get_or_create(
            kind=condition.kind, subject=condition.subject, ended_at=None, defaults=defaults
        )
        if is_new:
            due_at = _compute_due(condition, settings, now)
            _create_deliveries(alert, Event.OPENED, list_channels(alert.kind, settings), due_at)


def _compute_due(condition: Condition, settings: HouseSettings, now: dt.datetime) -> dt.datetime:
    """When operators are called. If the alert ends before, nobody is."""
    if condition.kind == AlertKind.REPORT:
        wait = dt.timedelta(minutes=settings.alert_report_minutes)
        return max(now, condition.since + wait)
    return now + PROCESS_PATIENCE if condition.kind == AlertKind.PROCESS else now


def _close(alert: Alert, settings: HouseSettings, now: dt.datetime) -> None:
    with transaction.atomic():
        if not Alert.objects.filter(pk=alert.pk, ended_at=None).update(ended_at=now):
            return
        opened = AlertDelivery.objects.filter(alert=alert, event=Event.OPENED)
        # Not needed any more: those that nobody has begun to send, and those that wait for another
        # attempt after one that failed.
        waiting = opened.filter(status=AlertDelivery.Status.WAITING)
        waiting.filter(Q(attempts=0) | ~Q(answer="")).delete()
        if settings.alert_resolved:
            deliveries = opened.exclude(status=AlertDelivery.Status.FAILED)
            channels = set(deliveries.values_list("channel", flat=True))
            targets = [one for one in list_channels(alert.kind, settings) if one in channels]
            _create_deliveries(alert, Event.RESOLVED, targets, now)


def list_channels(kind: str, settings: HouseSettings) -> list[Channel]:
    """The channels that are set, and chosen for this kind of alert."""
    chosen = {
        Channel.EMAIL: (settings.alert_emails, settings.alert_email_kinds),
        Channel.WEBHOOK: (settings.alert_webhook, settings.alert_webhook_kinds),
    }
    return [
        channel
        for channel, (address, kinds) in chosen.items()
        if address and kind in parse_kinds(kinds)
    ]


def _create_deliveries(
    alert: Alert, event: Event, channels: Iterable[Channel], due_at: dt.datetime
) -> None:
    AlertDelivery.objects.bulk_create(
        [
            AlertDelivery(alert=alert, channel=channel, event=event, due_at=due_at)
            for channel in channels
        ]
    )
