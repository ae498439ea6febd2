"""Who may come in: invites to sign up, and bans of networks."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from accounts.models.users import User


class SignUpInvite(models.Model):
    """A link by which some people may sign up. Its token is not stored, only the hash of it."""

    token_hash = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=60)
    """Whom it is for, for operators."""
    places = models.PositiveSmallIntegerField()
    """How many accounts may be made by it."""
    used = models.PositiveSmallIntegerField(default=0)
    until = models.DateTimeField(null=True)
    """When it ends; empty: it does not."""
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        permissions = [("invite_user", "Can create invites to sign up")]
        constraints = [
            models.CheckConstraint(
                name="an_invite_is_used_as_often_as_it_has_places",
                condition=Q(used__lte=F("places")),
            )
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def left(self) -> int:
        """How many more accounts may be made by it."""
        return self.places - self.used


class NetworkBan(models.Model):
    """A ban of the addresses of a network, for a time."""

    network = models.CharField(max_length=43)
    """In CIDR notation: ``192.0.2.0/24``, ``2001:db8::/64``."""
    reason = models.CharField(max_length=200)
    """What banned visitors read."""
    until = models.DateTimeField()
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        permissions = [("ban_network", "Can ban addresses and networks")]
        indexes = [models.Index(fields=["until"], name="bans_by_their_end")]

    def __str__(self) -> str:
        return self.network
