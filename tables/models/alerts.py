"""Alerts for operators, their deliveries, and the backups that were made."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import AlertKind, HouseSettings, User


class Alert(models.Model):
    """Something that waits for an operator, or that is wrong. It is open until its cause is gone."""

    kind = models.CharField(max_length=10, choices=AlertKind)
    subject = models.CharField(max_length=100)
    """What it is about: ``report:5``, ``void:7``, ``table:3``, ``rules:vegas``, ``house``."""
    text = models.CharField(max_length=300)
    """One sentence in English. It contains nothing that players typed but names."""
    path = models.CharField(max_length=200)
    """The path of the page where it is seen to."""
    since = models.DateTimeField()
    """When its cause began."""
    opened_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)
    """When an operator marked it as seen: then it is not counted any more."""
    seen_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=Q(ended_at__isnull=True),
                name="one_open_alert_a_subject",
            ),
        ]
        indexes = [models.Index(fields=["ended_at"], name="alerts_by_end")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class AlertDelivery(models.Model):
    """A message about an alert on one channel. It is sent until it arrives, or given up."""

    class Channel(models.TextChoices):
        EMAIL = "email", _("e-mail")
        WEBHOOK = "webhook", _("webhook")

    class Event(models.TextChoices):
        OPENED = "opened", _("opened")
        RESOLVED = "resolved", _("resolved")

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting")
        SENT = "sent", _("sent")
        FAILED = "failed", _("given up")

    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.CharField(max_length=10, choices=Channel)
    event = models.CharField(max_length=10, choices=Event)
    uid = models.UUIDField(default=uuid.uuid4)
    """The id in the message. It stays the same in every attempt, so that receivers can tell."""
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    """Started attempts. A process claims the next one by raising it."""
    due_at = models.DateTimeField()
    """When the next attempt is due: also that of a process that died in the last one."""
    tried_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=300, blank=True)
    """What the receiver answered to the last attempt, or the error."""

    class Meta:
        ordering = ["id"]
        default_permissions = ()
        verbose_name_plural = "alert deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["alert", "channel", "event"], name="one_delivery_a_channel_and_event"
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], name="deliveries_that_wait", condition=Q(status="waiting")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} of {self.alert} by {self.channel}"


class AlertSchedule(models.Model):
    """When the alerts are checked next, one row: the process that moves a time does the check."""

    due_at = models.DateTimeField()
    bands_due_at = models.DateTimeField()
    """The bands of the books change slowly and cost more queries."""

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"due at {self.due_at}"


class Backup(models.Model):
    """A backup that ``manage.py backup`` has finished."""

    epoch = models.CharField(max_length=16)
    """The epoch of the site then. After a restore a new one begins, and has no backup yet."""
    finished_at = models.DateTimeField()
    name = models.CharField(max_length=100)
    size = models.PositiveBigIntegerField()
    """In bytes."""

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        indexes = [models.Index(fields=["epoch", "-finished_at"], name="backups_of_an_epoch")]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def load_newest(cls) -> Backup | None:
        """The newest backup of this epoch: one of before a restore has other data."""
        epoch = HouseSettings.objects.filter(pk=1).values("epoch")
        return cls.objects.filter(epoch__in=epoch).order_by("-finished_at").first()
