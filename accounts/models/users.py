"""Users, and the limits that they have set for themselves."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy

NAME_TAKEN = gettext_lazy("Somebody plays under that name already.")


class User(AbstractUser):
    """Somebody who can log in: a player, an operator, or both."""

    username = models.CharField(
        gettext_lazy("name"),
        max_length=20,
        unique=True,
        validators=[ASCIIUsernameValidator()],
        help_text=gettext_lazy("20 characters at most: letters, digits and @ . + - _ only."),
        error_messages={"unique": NAME_TAKEN},
    )
    is_guest = models.BooleanField(gettext_lazy("guest"), default=False)
    """Plays under a made-up name, without a password: this browser's session is the only way in."""
    is_listed = models.BooleanField(gettext_lazy("on the leaderboard"), default=True)
    """Whether the leaderboard may show the name."""
    history_since = models.DateTimeField(null=True, blank=True, editable=False)
    """When the player emptied the history: what was played until then is not shown to them."""
    has_own_limits = models.BooleanField(default=False, editable=False)
    """Whether there ever was a :class:`OwnLimit`, so that others need not be asked about."""
    frozen_at = models.DateTimeField(null=True, blank=True, editable=False)
    """Since when an operator keeps the player out. Somebody frozen is not active; somebody who is
    not active and not frozen has deleted the account."""
    frozen_because = models.CharField(max_length=200, blank=True, editable=False)
    """What the player is told."""
    silenced_at = models.DateTimeField(null=True, blank=True, editable=False)
    """Since when they may talk at no table, because an operator said so."""

    @property
    def is_deleted(self) -> bool:
        """Whether the account was deleted. A frozen account is not active either, and still exists."""
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
    """A limit that a player set for themselves. Of several that hold, the strictest counts."""

    class Kind(models.TextChoices):
        REMINDER = "reminder", gettext_lazy("reminder")
        """Minutes at a table after which the player is told the time and the result."""
        DAILY_LOSS = "daily_loss", gettext_lazy("daily loss")
        """Hundredths that may be lost in a day (UTC)."""
        BREAK = "break", gettext_lazy("break")
        """The first day (UTC) on which the player plays again, as its ordinal number."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="own_limits")
    kind = models.CharField(max_length=10, choices=Kind)
    value = models.BigIntegerField()
    set_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    """When it holds no longer, because something looser was set; empty while nothing was."""

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["user", "kind"], name="limits_of_a_player")]

    def __str__(self) -> str:
        return f"{self.kind} {self.value} of {self.user}"
