"""Admissions, removals, visits and chat."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from accounts.models import User
from tables.models.invite_codes import LENGTH as CODE_LENGTH
from tables.models.table import Table


class Admission(models.Model):
    """A user's access to a private table, valid until the table has a new code."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="admissions")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="admissions")
    code = models.CharField(max_length=CODE_LENGTH)
    """The table's code at that time."""
    is_listed = models.BooleanField(default=True, db_default=True)
    """Whether the user's lists have the table. A user who took it off can still visit it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "user"], name="one_admission_a_player"),
        ]

    def __str__(self) -> str:
        return f"{self.user} may enter {self.table}"


class OldCode(models.Model):
    """A code that a table had before its invite was renewed."""

    code = models.CharField(max_length=CODE_LENGTH, unique=True)
    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="old_codes")
    at = models.DateTimeField()
    """When it was renewed."""

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"old code of {self.table}"


class Removal(models.Model):
    """A user whose seat the host has freed, and who may not sit down there for some minutes; or whom the
    host has banned, until that is taken back.
    """

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="removals")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="removals")
    at = models.DateTimeField()
    is_ban = models.BooleanField("ban", default=False, db_default=False)
    """Banned: may neither sit down nor write, nor see the table if it is private."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "user"], name="one_removal_a_player"),
        ]

    def __str__(self) -> str:
        return f"{self.user} was removed from {self.table}"


class Visit(models.Model):
    """The open pages of a user at a table in one server process."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="visits")
    process = models.CharField(max_length=32)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="visits")
    """Empty for visitors without a login."""
    pages = models.PositiveIntegerField(default=1)
    """The number of pages; visitors without a login share one row."""
    is_in_sight = models.BooleanField(default=True, db_default=True)
    """Whether one of the pages is in sight."""
    seen_at = models.DateTimeField()
    """The last report of the process."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["table", "process", "user"], name="one_visit_a_process_and_user"
            ),
            models.UniqueConstraint(
                fields=["table", "process"],
                condition=Q(user__isnull=True),
                name="one_visit_a_process_of_strangers",
            ),
        ]
        indexes = [models.Index(fields=["process"], name="visits_of_a_process")]

    def __str__(self) -> str:
        return f"{self.user or self.pages} at {self.table}"


class ChatLine(models.Model):
    """A line of chat at a table."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="chat_lines")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="chat_lines")
    command_id = models.UUIDField()
    at = models.DateTimeField()
    text = models.CharField(max_length=200)
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "command_id"], name="lines_are_said_once"),
        ]
        indexes = [
            models.Index(
                fields=["table", "-id"],
                name="lines_in_sight",
                condition=Q(removed_at__isnull=True),
            ),
            models.Index(fields=["user", "-at"], name="lines_of_a_player"),
        ]

    def __str__(self) -> str:
        return self.text


class ChatChange(models.Model):
    """A removal or a silence in the chat, stored so that the command's id is used once."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="chat_changes")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    command_id = models.UUIDField()
    command = models.TextField()
    """The JSON text as received."""
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "command_id"], name="chat_changes_happen_once"),
        ]

    def __str__(self) -> str:
        return f"{self.command} at {self.table}"


class Silence(models.Model):
    """A user whose chat is blocked at a table."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="silences")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="silences")
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "user"], name="silenced_once_a_table"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is silent at {self.table}"
