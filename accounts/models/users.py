"""Users, and their own limits."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy

NAME_TAKEN = gettext_lazy("That name is taken. Choose another one.")


class User(AbstractUser):
    """A player, an operator, or both."""

    username = models.CharField(
        gettext_lazy("name"),
        max_length=20,
        unique=True,
        validators=[ASCIIUsernameValidator()],
        help_text=gettext_lazy("Up to 20 letters or digits, no spaces."),
        error_messages={"unique": NAME_TAKEN},
    )
    is_guest = models.BooleanField(gettext_lazy("guest"), default=False)
    """An account with a generated name and no password: its session is the only access."""
    is_listed = models.BooleanField(gettext_lazy("on the leaderboard"), default=True)
    """Whether the leaderboard may show the name."""
    history_since = models.DateTimeField(null=True, blank=True, editable=False)
    """When the player cleared the history: earlier rounds are not shown to them."""
    has_own_limits = models.BooleanField(default=False, editable=False)
    """Whether there ever was an :class:`OwnLimit`, so that other users need no query."""
    frozen_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When an operator froze the account. A frozen user is not active; a user who is neither active
    nor frozen has deleted the account."""
    frozen_because = models.CharField(max_length=200, blank=True, editable=False)
    """The reason for the player."""
    silenced_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When an operator silenced the player at all tables."""

    @property
    def is_deleted(self) -> bool:
        """Whether the account is deleted. A frozen account is not active either, but exists."""
        return not self.is_active and self.frozen_at is None

    class Meta(AbstractUser.Meta):
        permissions = [
            ("freeze_user", "Can freeze and unfreeze players"),
            ("silence_user", "Can silence players in the whole house"),
            ("note_user", "Can write notes on players"),
        ]
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="username_unique_regardless_of_case",
                violation_error_message=NAME_TAKEN,
            ),
        ]


class OwnLimit(models.Model):
    """A player's own limit. Of several current ones the strictest applies."""

    class Kind(models.TextChoices):
        REMINDER = "reminder", gettext_lazy("reminder")
        """Minutes at a table before a reminder of time and result."""
        DAILY_LOSS = "daily_loss", gettext_lazy("daily loss")
        """The most that may be lost in a day (UTC), in hundredths."""
        BREAK = "break", gettext_lazy("break")
        """The first day (UTC) on which the player plays again, as its ordinal number."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="own_limits")
    kind = models.CharField(max_length=10, choices=Kind)
    value = models.BigIntegerField()
    set_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    """When it ends, after a looser limit was set; empty before that."""

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["user", "kind"], name="limits_of_a_player")]

    def __str__(self) -> str:
        return f"{self.kind} {self.value} of {self.user}"
