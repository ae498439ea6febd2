"""Friends, blocked players, notices about them, and who has a page open."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from accounts.models import User
from tables.models.invite_codes import LENGTH as CODE_LENGTH
from tables.models.play import Round
from tables.models.table import Table


class Friendship(models.Model):
    """A pair of friends, or the request of one of them. There is one row for a pair."""

    class State(models.TextChoices):
        ASKED = "asked"
        DECLINED = "declined"
        """The asked player has declined, or has blocked the other, who still sees a request."""
        WITHDRAWN = "withdrawn"
        """Withdrawn after it was declined. Neither sees it."""
        FRIENDS = "friends"

    low = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    """Of the two the one with the lower id."""
    high = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    asked_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.ASKED)
    at = models.DateTimeField()
    """When it got this state."""

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["low", "high"], name="one_friendship_a_pair"),
            models.CheckConstraint(name="friends_in_order", condition=Q(low__lt=F("high"))),
            models.CheckConstraint(
                name="one_of_the_two_asked",
                condition=Q(asked_by=F("low")) | Q(asked_by=F("high")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.low} and {self.high}: {self.state}"


class Block(models.Model):
    """A player whose requests and invites do not reach the other."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "blocked"], name="blocked_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} has blocked {self.blocked}"


class Notice(models.Model):
    """News for a player about another one, or about what operators decided."""

    class Kind(models.TextChoices):
        ASKED = "asked"
        ACCEPTED = "accepted"
        INVITED = "invited"
        """To a table. Its code gives access as long as it is the table's."""
        OPENED = "opened"
        """A friend has opened a public table."""
        ANSWERED = "answered"
        """An operator has answered a report of the player."""
        VOIDED = "voided"
        """An operator has voided a round of the player."""
        UPHELD = "upheld"
        """An operator has decided that a round that the player reported is not voided."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    sender = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    """The player who caused it; empty for operators, whose names players do not learn."""
    kind = models.CharField(max_length=10, choices=Kind)
    round = models.ForeignKey(
        Round, on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    """The round that operators decided about."""
    table = models.ForeignKey(
        Table, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    code = models.CharField(max_length=CODE_LENGTH, blank=True, default="")
    """The code of the table's invite at that time."""
    at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True)
    is_hidden = models.BooleanField(default=False)
    """Sent by a blocked player, who must not notice: its recipient never sees it."""
    called_at = models.DateTimeField(null=True, blank=True)
    """When devices were called for it, or passed over."""

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "sender", "kind", "table"], name="one_notice_a_table"
            ),
            models.UniqueConstraint(
                fields=["user", "sender", "kind"],
                condition=Q(table__isnull=True),
                name="one_notice_without_a_table",
            ),
            models.UniqueConstraint(
                fields=["user", "round", "kind"],
                condition=Q(round__isnull=False),
                name="one_notice_a_round",
            ),
        ]
        indexes = [
            models.Index(
                fields=["user"],
                name="new_notices_of_a_player",
                condition=Q(seen_at__isnull=True, is_hidden=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.sender} for {self.user}"


class OpenPage(models.Model):
    """A user with a page open in one server process, at a table or elsewhere."""

    process = models.CharField(max_length=32)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="open_pages")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "process"], name="one_row_a_process_and_user"),
        ]
        indexes = [models.Index(fields=["process"], name="open_pages_of_a_process")]

    def __str__(self) -> str:
        return f"{self.user} has a page open"
