"""Voids, reports, revenue, audits, processes and the identity of the database."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.db.models import Q, Value
from django.utils.translation import gettext_lazy as _

from accounts.lib.names import MOST_CODE_POINTS
from accounts.models import User
from tables.models.company import ChatLine
from tables.models.play import Round
from tables.models.table import Table


class Void(models.Model):
    """A void of a round: waiting for a second operator, done, refused, or taken back."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting for a second operator")
        DONE = "done", _("void")
        REFUSED = "refused", _("refused")
        WITHDRAWN = "withdrawn", _("taken back")

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="voids")
    status = models.CharField(max_length=9, choices=Status, default=Status.WAITING)
    reason = models.CharField(max_length=300)
    """The reason for its players."""
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """The requester; empty for the server, which aborts a round that cannot continue."""
    asked_at = models.DateTimeField()
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """The operator who decided: the requester below the limit, and if it was taken back; empty for
    the server, also where it has ended a request because it cancelled the round itself."""
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round"],
                condition=~Q(status__in=["refused", "withdrawn"]),
                name="voided_once_a_round",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="voids_that_wait", condition=Q(status="waiting")),
        ]

    def __str__(self) -> str:
        return f"void of {self.round}"

    @property
    def asked_by_name(self) -> str:
        """The name of the requester; empty for the server."""
        return self.asked_by.username if self.asked_by else ""


class Report(models.Model):
    """A player's report of a wrong round, a person or a chat line, and the answer.

    A report of a person or a line stores what it is about, with the name of that time: names change,
    and lines are removed. The deletion of the reported account empties the name and the line.
    """

    class Kind(models.TextChoices):
        ROUND = "round", _("round")
        PERSON = "person", _("person")
        LINE = "line", _("chat message")

    class Reason(models.TextChoices):
        """Why a person or a line is reported."""

        INSULT = "insult", _("Insults or threats")
        HATE = "hate", _("Hate against a group of people")
        SPAM = "spam", _("Spam or advertising")
        UNFAIR = "unfair", _("Unfair play")
        NAME = "name", _("An offensive name")
        OTHER = "other", _("Something else")

    LINE_REASONS: Final = (Reason.INSULT, Reason.HATE, Reason.SPAM, Reason.OTHER)
    """The reasons for a chat line. A person may be reported for each reason."""

    kind = models.CharField(max_length=6, choices=Kind, default=Kind.ROUND, db_default=Kind.ROUND)
    reason = models.CharField(
        max_length=6, choices=Reason, blank=True, default="", db_default=Value("")
    )
    """Empty for a round."""
    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, null=True, blank=True, related_name="reports"
    )
    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, null=True, blank=True, related_name="reports"
    )
    """Where the person was, or where the line was written; empty for a round."""
    about = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="reports_about"
    )
    """The reported person, or the author of the line; empty for a round."""
    about_name = models.CharField(
        max_length=MOST_CODE_POINTS, blank=True, default="", db_default=Value("")
    )
    line = models.ForeignKey(
        ChatLine, on_delete=models.SET_NULL, null=True, blank=True, related_name="reports"
    )
    said = models.CharField(max_length=200, blank=True, default="", db_default=Value(""))
    """The text of the line."""
    said_at = models.DateTimeField(null=True, blank=True)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="reports")
    """Who reports. The reported person is never told."""
    at = models.DateTimeField()
    text = models.CharField(max_length=500, blank=True)
    answer = models.CharField(max_length=500, blank=True)
    answered_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        permissions = [("answer_report", "Can answer what players report")]
        constraints = [
            models.UniqueConstraint(fields=["round", "user"], name="one_report_a_player_and_round"),
            models.UniqueConstraint(
                fields=["line", "user"],
                name="one_report_a_player_and_line",
                condition=Q(line__isnull=False),
            ),
            # After the answer, the same person may be reported again.
            models.UniqueConstraint(
                fields=["about", "user"],
                name="one_open_report_a_player_and_person",
                condition=Q(kind="person", answered_at__isnull=True),
            ),
            models.CheckConstraint(
                name="a_report_is_of_a_round_or_about_somebody",
                condition=Q(kind="round", round__isnull=False, about__isnull=True)
                | (~Q(kind="round") & Q(round__isnull=True, about__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"], name="reports_that_wait", condition=Q(answered_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"report of {self.user} on {self.about or self.round}"


class Takings(models.Model):
    """The revenue of a table on one gaming day under one set of rules. Amounts in hundredths.

    Void rounds stay in these sums and are also summed separately: a past day is corrected, not
    rewritten.
    """

    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, related_name="takings", db_index=False
    )
    rules_key = models.CharField("rules", max_length=20)
    options = models.CharField(max_length=500, default="{}")
    """The changed options, as JSON sorted by name."""
    day = models.DateField()
    rounds = models.PositiveBigIntegerField(default=0)
    plays = models.PositiveBigIntegerField(default=0)
    """The number of plays: a round of three players is three."""
    staked = models.BigIntegerField(default=0)
    """All stakes on hands and insurance: the handle."""
    paid = models.BigIntegerField(default=0)
    bets = models.BigIntegerField(default=0)
    """The first bets, to which the house edge refers."""
    bets_squared = models.DecimalField(max_digits=40, decimal_places=0, default=0)
    """The sum of their squares, for the confidence band."""
    void_rounds = models.PositiveBigIntegerField(default=0)
    void_plays = models.PositiveBigIntegerField(default=0)
    void_staked = models.BigIntegerField(default=0)
    void_paid = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-day", "table"]
        verbose_name = verbose_name_plural = _("revenue")
        permissions = [
            ("view_books", "Can see the books of the house"),
            ("run_audit", "Can run the audit"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "day", "rules_key", "options"], name="takings_of_a_day"
            ),
        ]
        indexes = [models.Index(fields=["day"], name="takings_by_day")]

    def __str__(self) -> str:
        return f"takings of {self.table} on {self.day}"


class AuditRun(models.Model):
    """One recomputation of the books, while it runs and afterwards."""

    started_at = models.DateTimeField()
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """Empty for the command line."""
    seen_at = models.DateTimeField()
    """The last report of its progress."""
    step = models.CharField(max_length=100, blank=True)
    done = models.PositiveBigIntegerField(default=0)
    of = models.PositiveBigIntegerField(default=0)
    """The rows of the current step; 0 if unknown."""
    finished_at = models.DateTimeField(null=True)
    faults = models.JSONField(default=list)
    """The first errors, as sentences."""

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"audit {self.pk}"


class ServerProcess(models.Model):
    """A server process, as last reported."""

    key = models.CharField(max_length=32, unique=True)
    host = models.CharField(max_length=100)
    pid = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    sockets = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "server processes"

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


class DatabaseIdentity(models.Model):
    """The identity of the database of the current epoch, one row: another database is a copy."""

    epoch = models.CharField(max_length=16, blank=True)
    identity = models.CharField(max_length=120, blank=True)
    """Empty before the first start of a server."""
    began_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "database identities"
        default_permissions = ()

    def __str__(self) -> str:
        return f"epoch {self.epoch}"
