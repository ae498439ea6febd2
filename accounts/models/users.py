"""Users, and their own limits."""

from __future__ import annotations

import datetime as dt
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy

from accounts.lib import colours, names, server_clock
from accounts.models.names import FoldedName, NameSkeleton

NAME_TAKEN = gettext_lazy("That name is taken. Choose another one.")

NAME_TOO_CLOSE = gettext_lazy(
    "That name looks too much like one that is taken. Choose another one."
)
NAME_COLUMNS = ("username", "folded", "skeleton")


class NamedUsers(UserManager["User"]):
    """Users, found by name in any case and any form of the same letters."""

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(folded=names.folded(username or ""))

    def create_superuser(self, username: str, *args: Any, **fields: Any) -> User:
        """Create a superuser; ``ValidationError`` if the name looks like another."""
        if self.filter(skeleton=names.skeleton(username)).exists():
            raise ValidationError(NAME_TOO_CLOSE, code="too_close")
        return super().create_superuser(username, *args, **fields)


class Approval(models.TextChoices):
    """The states of an account that an operator has to approve."""

    WAITING = "waiting", gettext_lazy("waits for approval")
    REFUSED = "refused", gettext_lazy("refused")
    APPROVED = "approved", gettext_lazy("approved")
    """Approved, and the owner has not been told yet."""


class User(AbstractUser):
    """A player, an operator, or both."""

    username = models.CharField(
        gettext_lazy("name"),
        max_length=names.MOST_CODE_POINTS,
        unique=True,
        validators=[names.validate],
        help_text=names.HELP,
        error_messages={"unique": NAME_TAKEN},
    )
    folded = FoldedName(max_length=names.LONGEST_FOLDED, unique=True, editable=False)
    skeleton = NameSkeleton(
        max_length=names.LONGEST_FOLDED, unique=True, null=True, blank=True, editable=False
    )
    is_guest = models.BooleanField(gettext_lazy("guest"), default=False)
    """An account with a generated name and no password: its session is the only access."""
    is_listed = models.BooleanField(gettext_lazy("on the leaderboard"), default=True)
    """Whether the leaderboard may show the name."""
    language = models.CharField(
        max_length=10, blank=True, default="", db_default="", editable=False
    )
    """The chosen language; empty: that of the browser."""
    time_zone = models.CharField(
        max_length=64, blank=True, default="", db_default="", editable=False
    )
    """The chosen zone, such as ``Europe/Berlin``; empty: that of the browser."""
    date_form = models.CharField(
        max_length=10, blank=True, default="", db_default="", editable=False
    )
    """The chosen form of dates, a key of :data:`accounts.lib.date_forms.FORMS`; empty: that of the
    language."""
    colour = models.CharField(max_length=10, blank=True, default="", db_default="", editable=False)
    """The chosen colour of the name; empty: the one of :attr:`accent`."""
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
    role_since = models.DateTimeField(null=True, blank=True, editable=False)
    """When the user last got a role; empty without one, and for roles of before this was stored."""
    silenced_until = models.DateTimeField(null=True, blank=True, editable=False)
    """When the silence ends by itself; empty until it is taken back."""

    approval = models.CharField(
        max_length=10, choices=Approval, blank=True, default="", db_default="", editable=False
    )
    """Whether an operator still has to approve the account; empty: it needs no approval."""
    refused_because = models.CharField(
        max_length=200, blank=True, default="", db_default="", editable=False
    )
    """Why the account was refused, for its owner."""
    sign_up_invite = models.ForeignKey(
        "accounts.SignUpInvite",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="accounts",
    )
    """The invite by which the account was made."""
    staff_invite = models.OneToOneField(
        "accounts.StaffInvite",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="signed_up",
    )
    """The operator's invite by which the account was made while the sign-up was not open."""

    objects: ClassVar[NamedUsers] = NamedUsers()

    def rename(self, name: str) -> None:
        """Set the name and its look; the caller saves the three columns of :data:`NAME_COLUMNS`."""
        self.username, self.folded = name, names.folded(name)
        self.skeleton = names.skeleton(name)

    @property
    def accent(self) -> str:
        """The colour of the name: the chosen one, or one by the id."""
        return self.colour or colours.choose_default(self.pk)

    def is_silenced(self, now: dt.datetime) -> bool:
        """Whether an operator's silence lasts at this time."""
        return self.silenced_at is not None and (
            self.silenced_until is None or now < self.silenced_until
        )

    @property
    def is_silenced_now(self) -> bool:
        """:meth:`is_silenced` at the present time, for templates."""
        return self.is_silenced(server_clock.now())

    @property
    def is_held(self) -> bool:
        """Whether the account may not play because no operator has approved it."""
        return self.approval in (Approval.WAITING, Approval.REFUSED) and not self.is_staff

    @property
    def is_deleted(self) -> bool:
        """Whether the account is deleted. A frozen account is not active either, but exists."""
        return not self.is_active and self.frozen_at is None

    class Meta(AbstractUser.Meta):
        permissions = [
            ("freeze_user", "Can freeze and unfreeze players"),
            ("silence_user", "Can silence players in the whole house"),
            ("note_user", "Can write notes on players"),
            ("manage_staff", "Can see the operators, invite some and give roles"),
            ("end_session", "Can end sessions of players and operators"),
            ("approve_user", "Can approve and refuse new accounts"),
        ]


class FormerName(models.Model):
    """A name that a user no longer has. For a time nobody else may take it.

    Of a deleted account only keyed digests are stored, as long as nobody else may take the name; see
    :mod:`accounts.users.former_names`.
    """

    user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="former_names")
    """Empty for a deleted account."""
    name = models.CharField(max_length=names.MOST_CODE_POINTS, blank=True)
    folded = models.CharField(max_length=names.LONGEST_FOLDED, db_index=True)
    skeleton = models.CharField(max_length=names.LONGEST_FOLDED, db_index=True)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        default_permissions = ()

    def __str__(self) -> str:
        return self.name


class OwnLimit(models.Model):
    """A player's own limit. Of several current ones the strictest applies."""

    class Kind(models.TextChoices):
        REMINDER = "reminder", gettext_lazy("reminder")
        """Minutes at a table before a reminder of time and result."""
        DAILY_LOSS = "daily_loss", gettext_lazy("daily loss")
        """The most that may be lost in a gaming day, in hundredths."""
        BREAK = "break", gettext_lazy("break")
        """The first gaming day on which the player plays again, as its ordinal number."""

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
