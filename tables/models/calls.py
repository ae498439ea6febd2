"""Devices that call their player by web push."""

from __future__ import annotations

from django.db import models

from accounts.models import User


class PushSubscription(models.Model):
    """A browser that a player has asked to be called in. It ends with its session."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="push_subscriptions")
    session_key = models.CharField(max_length=40)
    """The session in which it was asked for; after its end nobody is called."""
    endpoint = models.CharField(max_length=500, unique=True)
    """The address at the push service of the browser."""
    public_key = models.CharField(max_length=100)
    """The browser's key for messages (p256dh)."""
    secret = models.CharField(max_length=50)
    """The browser's secret for messages (auth)."""
    language = models.CharField(max_length=10)
    """The language of the page in which it was asked for."""
    created_at = models.DateTimeField()
    called_table = models.PositiveBigIntegerField(null=True, blank=True)
    """The table of the last call, and its turn: nobody is called twice for a turn."""
    called_turn = models.PositiveBigIntegerField(null=True, blank=True)
    is_for_turns = models.BooleanField(default=True, db_default=True)
    """Whether it is called when it is the player's turn."""
    is_for_seats = models.BooleanField(default=False, db_default=False)
    """Whether it is called when a seat is offered to the player in line."""
    is_for_friends = models.BooleanField(default=False, db_default=False)
    """Whether it is called when a friend opens a table or invites the player to one."""
    called_offer = models.CharField(max_length=60, blank=True, default="", db_default="")
    """The last offer of a seat for which it was called: place in line, and end of the offer."""

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["session_key"], name="calls_of_a_session")]

    def __str__(self) -> str:
        return f"calls of {self.user}"
