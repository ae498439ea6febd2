"""Settings of the whole site, and the audit log."""

from __future__ import annotations

import secrets

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models.users import User


def new_epoch() -> str:
    """Generate the random name of a new epoch."""
    return secrets.token_hex(8)


class HouseSettings(models.Model):
    """The settings of the site, in a single row that a migration creates."""

    class BlockedLines(models.TextChoices):
        """What happens to a chat line with a blocked word."""

        MASK = "mask", _("show ••• in place of the word")
        REFUSE = "refuse", _("refuse the message")

    rebuy_hours = models.PositiveSmallIntegerField(
        _("hours between top-ups"),
        default=24,
        validators=[MinValueValidator(1)],
        help_text=_("How many hours a player waits before getting more chips again."),
    )
    adjustment_limit = models.PositiveBigIntegerField(
        _("maximum per adjustment"),
        default=100_000,
        help_text=_("The most a cashier can adjust in one adjustment, in hundredths."),
    )
    adjustment_day_limit = models.PositiveBigIntegerField(
        _("maximum adjustments per day"),
        default=500_000,
        help_text=_("The most one cashier can adjust per day (UTC), in hundredths."),
    )
    void_limit = models.PositiveBigIntegerField(
        _("maximum void without approval"),
        default=100_000,
        help_text=_("A void that moves more than this, in hundredths, needs a second operator."),
    )
    blocked_words = models.TextField(
        _("blocked words"),
        blank=True,
        default="",
        help_text=_("Words and phrases, one on each line."),
    )
    """As the operator wrote them; :mod:`accounts.users.blocked_words` reads them."""
    blocked_lines = models.CharField(
        _("chat messages with a blocked word"),
        max_length=6,
        choices=BlockedLines,
        default=BlockedLines.MASK,
    )
    maintenance_at = models.DateTimeField(null=True, blank=True, editable=False)
    """The begin of maintenance; empty if none is planned."""
    maintenance_says = models.CharField(max_length=200, blank=True, editable=False)
    announcement = models.CharField(max_length=200, blank=True, editable=False)
    """The last announcement to all tables."""
    announced_at = models.DateTimeField(null=True, blank=True, editable=False)
    epoch = models.CharField(max_length=16, default=new_epoch, editable=False)
    """It changes after a restore, so that pages discard their state."""

    class Meta:
        verbose_name = verbose_name_plural = _("site settings")
        permissions = [
            ("announce", "Can announce something to tables"),
            ("maintain", "Can close the house for maintenance"),
        ]
        constraints = [models.CheckConstraint(name="there_is_one_house", condition=Q(pk=1))]

    def __str__(self) -> str:
        return gettext("site settings")


class Act(models.Model):
    """An entry of the audit log. The database refuses to change or delete one."""

    class What(models.TextChoices):
        ANNOUNCE = "announce", _("made an announcement")
        MAINTAIN = "maintain", _("scheduled maintenance")
        REOPEN = "reopen", _("ended maintenance")
        SETTINGS = "settings", _("changed the site settings")
        OPEN_TABLE = "open_table", _("opened a table")
        EDIT_TABLE = "edit_table", _("changed a table")
        PAUSE_TABLE = "pause_table", _("paused a table")
        RESUME_TABLE = "resume_table", _("resumed a table")
        CLOSE_TABLE = "close_table", _("closed a table")
        FILL_RACK = "fill_rack", _("refilled a rack")
        LOG_IN = "log_in", _("logged in to the operators' pages")
        REAUTH_FAILED = "reauth_failed", _("entered a wrong password")
        EDIT_USER = "edit_user", _("changed a user")
        NOTE = "note", _("wrote a note")
        FREEZE = "freeze", _("froze a player")
        UNFREEZE = "unfreeze", _("unfroze a player")
        SILENCE = "silence", _("muted a player")
        UNSILENCE = "unsilence", _("unmuted a player")
        ADJUST = "adjust", _("adjusted a wallet")
        REVERSE = "reverse", _("reversed a transfer")
        ASK_VOID = "ask_void", _("requested a void")
        REFUSE_VOID = "refuse_void", _("refused a void")
        VOID = "void", _("voided a round")
        ANSWER = "answer", _("answered a report")
        AUDIT = "audit", _("ran the audit")
        DOWNLOAD = "download", _("downloaded a list")

    at = models.DateTimeField()
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="acts", db_index=False)
    what = models.CharField(max_length=20, choices=What)
    subject = models.CharField(max_length=40)
    """The subject: ``user:12``, ``table:3``, ``round:8``, ``transfer:5``, ``house``."""
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.CharField(max_length=500, blank=True)
    address = models.GenericIPAddressField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["subject", "-id"], name="acts_on_a_subject"),
            models.Index(fields=["by", "-id"], name="acts_of_an_operator"),
            models.Index(fields=["what", "-id"], name="acts_of_a_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.by} {self.get_what_display()}: {self.subject}"
