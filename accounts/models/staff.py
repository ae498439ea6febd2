"""Invites of operators, and changes that wait for a second operator."""

from __future__ import annotations

import datetime as dt

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models.users import User


class StaffInvite(models.Model):
    """A link that gives its role to the one user who accepts it. The token is stored as a hash."""

    role = models.CharField(max_length=150)
    """The name of the role's group."""
    token_hash = models.CharField(max_length=64, unique=True)
    """SHA-256 of the token, in hexadecimal digits."""
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"invite {self.pk}: {self.role}"

    def is_expired(self, now: dt.datetime) -> bool:
        """Whether the time to accept it is over."""
        return self.expires_at <= now


class WaitingChange(models.Model):
    """A change that takes effect at a time, or at once when a second operator approves it.

    A waiting change whose time has come is in effect, whether or not that is stored yet.
    """

    class Kind(models.TextChoices):
        LIMIT = "limit", _("raise of a limit")
        ROLE = "role", _("role for a user")

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting for a second operator")
        DONE = "done", _("in effect")
        REFUSED = "refused", _("refused")
        WITHDRAWN = "withdrawn", _("withdrawn")
        REPLACED = "replaced", _("replaced")

    kind = models.CharField(max_length=5, choices=Kind)
    name = models.CharField(max_length=150)
    """The field of the settings, or the name of the role's group."""
    user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """Who gets the role."""
    before = models.BigIntegerField(null=True)
    after = models.BigIntegerField(null=True)
    """The value of the field; empty for a role."""
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    takes_effect_at = models.DateTimeField()
    status = models.CharField(max_length=9, choices=Status, default=Status.WAITING)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """Empty for one that took effect after its time."""
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        permissions = [("approve_change", "Can approve changes that need a second operator")]
        constraints = [
            models.UniqueConstraint(
                fields=["name"],
                condition=Q(status="waiting", user__isnull=True),
                name="one_waiting_raise_a_limit",
            ),
            models.UniqueConstraint(
                fields=["name", "user"],
                condition=Q(status="waiting", user__isnull=False),
                name="one_waiting_role_a_user",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="changes_that_wait", condition=Q(status="waiting")),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.status}"
