"""Settings of the whole site, and the audit log."""

from __future__ import annotations

import secrets
from typing import Any, Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models.alerts import generate_secret, list_all_kinds
from accounts.models.users import User

STARTING_GRANT: Final = 50_000
"""The default of the starting money and of the rebuy, in hundredths (seed 004: "a starting balance
of 500")."""
LONGEST_NAME: Final = 24
"""The longest name of the site, which fits beside the links of the header on a small phone."""
LONGEST_GREETING: Final = 300


def new_epoch() -> str:
    """Generate the random name of a new epoch."""
    return secrets.token_hex(8)


def default_second_factor_roles() -> list[str]:
    """The roles that need a second factor on a new site."""
    return ["manager"]


def first_rebuy_amounts() -> list[int]:
    """The amounts of rebuys on a site where that setting was never changed."""
    return [STARTING_GRANT]


class HouseSettings(models.Model):
    """The settings of the site, in a single row that a migration creates.

    Pages and commands read them in the memory of their process: ``accounts.site_settings``.
    """

    class BlockedLines(models.TextChoices):
        """What happens to a chat line with a blocked word."""

        MASK = "mask", _("show ••• in place of the word")
        REFUSE = "refuse", _("refuse the message")

    class SignUp(models.TextChoices):
        OPEN = "open", _("Open: everybody can sign up")
        INVITE = "invite", _("By invite: only with a link that an operator has made")
        APPROVAL = "approval", _("By approval: an operator approves each new account")
        OFF = "off", _("Off: nobody can sign up")

    class TableMakers(models.TextChoices):
        EVERYBODY = "everybody", _("Everybody, guests too")
        PLAYERS = "players", _("Players with an account")
        OPERATORS = "operators", _("Only operators")

    name = models.CharField(
        _("name of the site"),
        max_length=LONGEST_NAME,
        default="The Card Room",
        db_default="The Card Room",
        help_text=_("In the header, in titles and in e-mails. It is never translated."),
    )
    greeting = models.CharField(
        _("greeting"),
        max_length=LONGEST_GREETING,
        blank=True,
        default="",
        db_default="",
        help_text=_("A short text in the lobby and on the log-in page. Leave it empty for none."),
    )
    languages = models.CharField(max_length=40, blank=True, default="", db_default="")
    """The codes of the offered languages, with commas between; empty: all that the machine has."""
    default_language = models.CharField(max_length=10, blank=True, default="", db_default="")
    """The language of readers whose browser asks for none of them; empty: the machine's."""
    sign_up = models.CharField(
        _("sign-up"),
        max_length=10,
        choices=SignUp,
        default=SignUp.OPEN,
        db_default=SignUp.OPEN,
    )
    allows_guests = models.BooleanField(
        _("guests may play"),
        default=True,
        db_default=True,
        help_text=_("Without it nobody can start as a guest. Guests who play now may go on."),
    )
    table_makers = models.CharField(
        _("who may create tables"),
        max_length=10,
        choices=TableMakers,
        default=TableMakers.EVERYBODY,
        db_default=TableMakers.EVERYBODY,
    )
    starting_money = models.PositiveBigIntegerField(
        _("starting money"),
        default=STARTING_GRANT,
        db_default=STARTING_GRANT,
        help_text=_("What a new player gets, in hundredths."),
    )
    rebuy_amount = models.PositiveBigIntegerField(
        _("top-up to"),
        default=STARTING_GRANT,
        db_default=STARTING_GRANT,
        help_text=_("The balance that a top-up brings a player to, in hundredths."),
    )
    rebuy_amounts = models.JSONField(default=first_rebuy_amounts, editable=False)
    """All amounts that :attr:`rebuy_amount` ever was, for the audit."""
    first_links = models.JSONField(default=dict, editable=False)
    """The hashes of the links that make the first operator, by the process that printed each."""
    rebuy_hours = models.PositiveSmallIntegerField(
        _("hours between top-ups"),
        default=24,
        validators=[MinValueValidator(1), MaxValueValidator(8760)],
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
        help_text=_("The most one cashier can adjust per gaming day, in hundredths."),
    )
    void_limit = models.PositiveBigIntegerField(
        _("maximum void without approval"),
        default=100_000,
        help_text=_("A void that moves more than this, in hundredths, needs a second operator."),
    )
    day_zone = models.CharField(
        _("time zone of the site"),
        max_length=64,
        default="UTC",
        help_text=_("The zone in which the gaming day begins."),
    )
    day_hour = models.PositiveSmallIntegerField(
        _("begin of the gaming day"),
        default=0,
        validators=[MaxValueValidator(23)],
        help_text=_("The hour at which the day of the books, figures and daily limits begins."),
    )
    second_factor_roles = models.JSONField(
        _("roles with a second factor"), default=default_second_factor_roles, blank=True
    )
    """The names of the roles that need a second factor. Superusers count as managers."""
    alert_emails = models.TextField(
        _("e-mail addresses for alerts"),
        blank=True,
        default="",
        db_default="",
        help_text=_("One address a line. They are called when something waits or fails."),
    )
    alert_email_kinds = models.CharField(
        _("alerts by e-mail"), max_length=200, blank=True, default=list_all_kinds
    )
    """Kinds of alerts, separated by commas."""
    alert_webhook = models.CharField(
        _("webhook"), max_length=500, blank=True, default="", db_default=""
    )
    """The URL to which alerts are sent; empty for none."""
    alert_webhook_kinds = models.CharField(
        _("alerts by webhook"), max_length=200, blank=True, default=list_all_kinds
    )
    alert_webhook_secret = models.CharField(max_length=80, default=generate_secret, editable=False)
    """The key that signs webhooks. No settings page and no audit log shows it."""
    alert_resolved = models.BooleanField(
        _("say also when it is over"),
        default=True,
        db_default=True,
        help_text=_("Send a second message when what was reported is in order again."),
    )
    alert_report_minutes = models.PositiveSmallIntegerField(
        _("minutes before a report calls"),
        default=15,
        db_default=15,
        help_text=_(
            "How long a report may wait for an answer before anybody is called; 0: at once."
        ),
    )
    alert_backup_hours = models.PositiveSmallIntegerField(
        _("hours between backups"),
        default=26,
        db_default=26,
        help_text=_(
            "How old the last backup may be; 0 if backups are not made by this program. "
            "26 hours are a day, and time for the backup itself."
        ),
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

    def save(self, *args: Any, **options: Any) -> None:
        """Save the settings; a new amount of rebuys is added to :attr:`rebuy_amounts`."""
        if self.rebuy_amount not in self.rebuy_amounts:
            self.rebuy_amounts = [*self.rebuy_amounts, self.rebuy_amount]
            if options.get("update_fields") is not None:
                options["update_fields"] = {*options["update_fields"], "rebuy_amounts"}
        super().save(*args, **options)


class GamingDayRule(models.Model):
    """From ``first_day`` on, gaming days begin at ``hour`` in ``zone``. Rows are never changed once
    that day has begun.
    """

    first_day = models.DateField(primary_key=True)
    zone = models.CharField(max_length=64)
    hour = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["first_day"]

    def __str__(self) -> str:
        return f"from {self.first_day} on at {self.hour}:00 in {self.zone}"


class Act(models.Model):
    """An entry of the audit log. The database refuses to change or delete one."""

    class What(models.TextChoices):
        ANNOUNCE = "announce", _("made an announcement")
        UNANNOUNCE = "unannounce", _("took back an announcement")
        MAINTAIN = "maintain", _("scheduled maintenance")
        REOPEN = "reopen", _("ended maintenance")
        SETTINGS = "settings", _("changed the site settings")
        OPEN_TABLE = "open_table", _("opened a table")
        EDIT_TABLE = "edit_table", _("changed a table")
        PAUSE_TABLE = "pause_table", _("paused a table")
        RESUME_TABLE = "resume_table", _("resumed a table")
        CLOSE_TABLE = "close_table", _("closed a table")
        KEEP_OPEN = "keep_open", _("took back the closing of a table")
        FILL_RACK = "fill_rack", _("refilled a rack")
        LOG_IN = "log_in", _("logged in")
        LOGIN_FAILED = "login_failed", _("failed to log in")
        REAUTH = "reauth", _("confirmed the login")
        REAUTH_FAILED = "reauth_failed", _("failed to confirm the login")
        LOG_OUT = "log_out", _("logged out")
        END_SESSIONS = "end_sessions", _("ended own sessions")
        REMOVE_FACTOR = "remove_factor", _("removed a second factor")
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
        WITHDRAW_VOID = "withdraw_void", _("took back a request for a void")
        VOID = "void", _("voided a round")
        ANSWER = "answer", _("answered a report")
        INVITE_PLAYER = "invite_player", _("created an invite to sign up")
        WITHDRAW = "withdraw", _("withdrew an invite to sign up")
        APPROVE = "approve", _("approved an account")
        REFUSE = "refuse", _("refused an account")
        BAN = "ban", _("banned a network")
        LIFT_BAN = "lift_ban", _("lifted the ban of a network")
        FIRST_OPERATOR = "first_operator", _("became the first operator")
        AUDIT = "audit", _("ran the audit")
        DOWNLOAD = "download", _("downloaded a list")
        INVITE = "invite", _("created an invite for an operator")
        END_INVITE = "end_invite", _("withdrew an invite for an operator")
        ACCEPT_INVITE = "accept_invite", _("accepted an invite for an operator")
        END_SESSION = "end_session", _("ended sessions")
        ASK_CHANGE = "ask_change", _("requested a change that needs a second operator")
        APPROVE_CHANGE = "approve_change", _("approved a change")
        REFUSE_CHANGE = "refuse_change", _("refused or withdrew a change")
        TAKE_EFFECT = "take_effect", _("requested a change that took effect")
        ALERT_SEEN = "alert_seen", _("marked an alert as seen")
        ALERT_TEST = "alert_test", _("sent a test alert")
        ALERT_SECRET = "alert_secret", _("changed the webhook secret")

    at = models.DateTimeField(_("time"))
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
        verbose_name = _("audit log entry")
        verbose_name_plural = _("audit log entries")
        indexes = [
            models.Index(fields=["subject", "-id"], name="acts_on_a_subject"),
            models.Index(fields=["by", "-id"], name="acts_of_an_operator"),
            models.Index(fields=["what", "-id"], name="acts_of_a_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.by} {self.get_what_display()}: {self.subject}"
