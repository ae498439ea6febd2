"""The page *Site settings*: its form, and what is recorded of a change."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit_log, site_settings
from accounts.admin import roles as admin_roles
from accounts.admin.alert_fields import (
    MOST_URL,
    AddressesField,
    KindsField,
    WebhookField,
    shorten_url,
)
from accounts.admin.concurrent_edits import ConcurrentEditAdmin
from accounts.admin.read_only import AuditLogHistoryAdmin, money_column
from accounts.audit_log import Operator
from accounts.concurrent_edits import ConcurrentEditMixin
from accounts.ledger import gaming_days
from accounts.ledger.adjustments import MOST
from accounts.lib import languages as site_languages
from accounts.lib import server_clock, times, word_filter, zones
from accounts.lib.errors import OperationRefused
from accounts.lib.form_fields import LineField, LinesField, MoneyField
from accounts.mail import queue as mail_queue
from accounts.models import (
    LONGEST_GREETING,
    Act,
    HouseSettings,
)
from accounts.staff import waiting_changes
from accounts.users import reauthentication

LEAST_GRANT: Final = 100
MOST_GRANT: Final = 100_000_000
"""The limits of the starting money and of rebuys, in hundredths: 1 and 1,000,000 units."""
CHANNELS: Final = ("alert_emails", "alert_email_kinds", "alert_webhook", "alert_webhook_kinds")
"""The recipients of alerts. Only operators who may change the settings see them."""


class RecordedAdmin(ConcurrentEditAdmin, AuditLogHistoryAdmin):
    """Rows that are edited by a form, with an entry in the audit log for each change."""

    trailed_as: Act.What

    def log_values(self, name: str, before: Any, after: Any) -> tuple[Any, Any]:
        """What the audit log stores of a changed field."""
        return before, after

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:
        self.add_merge_message(request, form)
        if change and not form.changed_data:
            return
        fields = {name: form.fields[name] for name in form.changed_data}
        before, after = dict[str, Any](), dict[str, Any]()
        for name, field in fields.items():
            values = (form.initial.get(name), form.cleaned_data[name])
            old, new = (_log_value(field, value) for value in values)
            before[name], after[name] = self.log_values(name, old, new)
        with transaction.atomic():
            # Only these fields: the others may have changed.
            obj.save(update_fields=form.changed_data if change else None)
            operator, subject = Operator.from_request(request), audit_log.build_subject(obj)
            audit_log.record(operator, self.trailed_as, subject, before=before, after=after)


def _log_value(field: forms.Field, value: Any) -> Any:
    """A value for the audit log, as the form shows it; several chosen ones as a list."""
    return value if isinstance(value, list) else str(field.prepare_value(value))


RAISE_WAITS = _(
    "Saved. The raised limit waits: it takes effect after 24 hours, or as soon as a second operator "
    "approves it."
)


class HouseSettingsForm(ConcurrentEditMixin, forms.ModelForm):
    """The form of the settings, with amounts in units such as 1,000.00."""

    adjustment_limit = MoneyField(
        label=_("Maximum per adjustment"),
        help_text=_("The most a cashier can add to or take from a wallet in one adjustment."),
        most=MOST,
    )
    adjustment_day_limit = MoneyField(
        label=_("Maximum adjustments per day"),
        help_text=_(
            "The most one cashier can adjust per gaming day, additions and deductions together."
        ),
        most=MOST,
    )
    void_limit = MoneyField(
        label=_("Maximum void without approval"),
        help_text=_(
            "What one operator can void per gaming day. A void beyond that needs a second operator."
        ),
        most=MOST,
    )

    day_zone = forms.ChoiceField(
        label=_("Time zone of the site"), choices=lambda: [("UTC", "UTC"), *zones.list_choices()]
    )
    day_hour = forms.TypedChoiceField(
        label=_("Begin of the gaming day"),
        help_text=_(
            "The day of accounting, figures and daily limits. A change applies from the next day on, "
            "and past days keep their bounds."
        ),
        coerce=int,
        choices=[(hour, f"{hour:02d}:00") for hour in range(24)],
    )
    second_factor_roles = forms.MultipleChoiceField(
        label=_("Roles that need a second factor"),
        help_text=_(
            "Operators with one of these roles need an authenticator app or a passkey. Superusers "
            "count as managers."
        ),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    alert_emails = AddressesField(
        label=_("E-mail addresses"),
        help_text=_("One a line. They are called when something waits or fails."),
        required=False,
    )
    alert_email_kinds = KindsField(label=_("By e-mail"))
    alert_webhook = WebhookField(
        label=_("Webhook"),
        help_text=_("The URL to which a signed message is sent; empty for none."),
        max_length=MOST_URL,
        required=False,
    )
    alert_webhook_kinds = KindsField(label=_("By webhook"))
    blocked_words = LinesField(
        label=_("Blocked words"),
        required=False,
        max_length=word_filter.LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 8, "cols": 40, "spellcheck": "false"}),
        help_text=_(
            "Words and phrases, one on each line. Case, accents and letters that look alike make "
            "no difference. Names with such a word are refused."
        ),
    )
    name = LineField(
        label=_("Name of the site"),
        max_length=HouseSettings._meta.get_field("name").max_length,
        help_text=_("In the header, in titles and in e-mails. It is never translated."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    greeting = LinesField(
        label=_("Greeting"),
        required=False,
        max_length=LONGEST_GREETING,
        help_text=_(
            "A short text in the lobby and on the log-in page, as you write it in your language. "
            "Leave it empty for none."
        ),
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
    )
    languages = forms.MultipleChoiceField(
        label=_("Languages"),
        help_text=_("The languages of the players' pages. Operators' pages are in English."),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one language.")},
    )
    default_language = forms.ChoiceField(
        label=_("Default language"),
        help_text=_("For readers whose browser asks for none of these languages."),
    )
    starting_money = MoneyField(
        label=_("Starting money"),
        help_text=_("What a new player gets. Wallets that exist keep what they have."),
        least=LEAST_GRANT,
        most=MOST_GRANT,
    )
    rebuy_amount = MoneyField(
        label=_("Top-up to"),
        help_text=_("The balance that a top-up brings a player to who can no longer play."),
        least=LEAST_GRANT,
        most=MOST_GRANT,
    )

    class Meta:
        model = HouseSettings
        fields = (
            "name", "greeting", "languages", "default_language",
            "sign_up", "allows_guests", "table_makers",
            "starting_money", "rebuy_amount", "rebuy_hours",
            "adjustment_limit", "adjustment_day_limit", "void_limit",
            "day_zone", "day_hour", "second_factor_roles",
            "alert_emails", "alert_email_kinds", "alert_webhook", "alert_webhook_kinds",
            "alert_resolved", "alert_report_minutes", "alert_backup_hours",
            "blocked_words", "blocked_lines",
        )  # fmt: skip
        widgets = {"sign_up": forms.RadioSelect, "table_makers": forms.RadioSelect}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        roles: Any = self.fields.get("second_factor_roles")
        if roles is not None:  # missing without the permission to change
            roles.choices = [(name, name) for name in admin_roles.SAYS]
        emails = self.fields.get(
            "alert_emails"
        )  # absent for operators who may only view the settings
        if emails is not None and mail_queue.prints_to_console():
            emails.help_text = _(
                "One a line. No mail server is set (EMAIL_URL): e-mails are printed to the console of "
                "the server."
            )
        self._offer_languages()

    def _offer_languages(self) -> None:
        if "languages" not in self.fields:  # a reader without the permission to change
            return
        names = site_languages.all_names()
        for field in ("languages", "default_language"):
            choice: Any = self.fields[field]
            choice.choices = list(names.items())
        self.initial["languages"] = list(site_languages.names())
        self.initial["default_language"] = site_languages.get_default()

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if {"day_zone", "day_hour"} & set(self.changed_data) and "day_hour" in data:
            try:
                days = gaming_days.load()
                days.plan(data.get("day_zone", "UTC"), data["day_hour"], server_clock.now())
            except OperationRefused as refused:
                self.add_error("day_hour", str(refused))
        chosen, default = data.get("languages"), data.get("default_language")
        if chosen and default and default not in chosen:
            message = gettext("The default language must be one of the chosen ones.")
            self.add_error("default_language", message)
        return data

    def clean_languages(self) -> str:
        """The codes as they are stored."""
        return ",".join(self.cleaned_data["languages"])

    def is_multipart(self) -> bool:
        """The list of words is sent without an escape of each byte, so that the longest one fits."""
        return True

    def clean_blocked_words(self) -> str:
        """Check the number and the length of the entries, and that each can be found."""
        entries = word_filter.split_entries(self.cleaned_data["blocked_words"])
        if len(entries) > word_filter.MOST_ENTRIES:
            raise forms.ValidationError(
                _("%(number)s entries are too many, at most %(most)s.")
                % {"number": len(entries), "most": word_filter.MOST_ENTRIES}
            )
        for entry in entries:
            if len(entry) > word_filter.LONGEST_ENTRY:
                raise forms.ValidationError(
                    _("“%(entry)s” is too long, at most %(most)s characters.")
                    % {"entry": entry, "most": word_filter.LONGEST_ENTRY}
                )
            if not word_filter.has_letters(entry):
                raise forms.ValidationError(
                    _("“%(entry)s” has no letter, so it can't be found.") % {"entry": entry}
                )
        return "\n".join(entries)


def _view_only(name: str) -> Callable[[HouseSettings], str]:
    """A column with the value of a setting in the format of the form. Without it Django shows the stored
    value, such as an amount in hundredths.
    """

    @admin.display(description=HouseSettingsForm.base_fields[name].label)
    def column(row: HouseSettings) -> str:
        form = HouseSettingsForm(instance=row)
        field, value = form.fields[name], form[name].value()
        if not isinstance(field, forms.ChoiceField):
            return str(value)
        choices: Any = field.choices
        labels = {str(key): str(label) for key, label in choices}
        keys = value if isinstance(value, list) else [value]
        return ", ".join(labels.get(str(key), str(key)) for key in keys)

    column.__name__ = f"view_only_{name}"
    return column


VIEW_ONLY: Final = {
    name: _view_only(name)
    for name in (
        "languages", "default_language", "starting_money", "rebuy_amount", "adjustment_limit",
        "adjustment_day_limit", "void_limit", "day_hour", "second_factor_roles",
    )
}  # fmt: skip


@admin.register(HouseSettings)
class HouseSettingsAdmin(RecordedAdmin):
    """The page of the single row of settings."""

    trailed_as = Act.What.SETTINGS
    has_trail = True
    change_form_template = "admin/operators/settings.html"
    form = HouseSettingsForm
    fieldsets = (
        (_("Site"), {"fields": ("name", "greeting", "languages", "default_language")}),
        (_("Doors"), {"fields": ("sign_up", "allows_guests", "table_makers")}),
        (_("Money"), {"fields": ("starting_money", "rebuy_amount", "rebuy_hours")}),
        (
            _("Limits of operators"),
            {"fields": ("adjustment_limit", "adjustment_day_limit", "void_limit")},
        ),
        (_("Gaming day"), {"fields": ("day_zone", "day_hour")}),
        (_("Second factor"), {"fields": ("second_factor_roles",)}),
        (
            _("Alerts"),
            {
                "fields": (
                    "alert_emails", "alert_email_kinds", "alert_webhook", "alert_webhook_kinds",
                    "alert_resolved", "alert_report_minutes", "alert_backup_hours",
                )
            },
        ),
        (_("Words in chat and names"), {"fields": ("blocked_words", "blocked_lines")}),
    )  # fmt: skip
    list_display = ("__str__", "rebuy_hours", "adjustments", "adjustments_of_a_day", "voids")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The fields. Without the permission to change settings, :data:`VIEW_ONLY` replaces them, and
        :data:`CHANNELS` are left out: the URL is a secret.
        """
        parts: Any = super().get_fieldsets(request, obj)
        if self.has_change_permission(request, obj):
            return parts
        return [
            (
                title,
                {
                    "fields": [
                        VIEW_ONLY.get(name, name) for name in part["fields"] if name not in CHANNELS
                    ]
                },
            )
            for title, part in parts
        ]

    def get_object(self, request: HttpRequest, *args: Any, **options: Any) -> HouseSettings | None:
        """The settings with the limits that are in effect."""
        settings: HouseSettings | None = super().get_object(request, *args, **options)
        return settings and waiting_changes.put_in_effect(settings, server_clock.now())

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:
        """Save the fields. A raised limit waits for a second operator."""
        limits = [name for name in form.changed_data if name in waiting_changes.LIMITS]
        values = {name: form.cleaned_data[name] for name in limits}
        form.changed_data = [name for name in form.changed_data if name not in limits]
        operator, now = Operator.from_request(request), server_clock.now()
        with transaction.atomic():
            HouseSettings.objects.select_for_update().get(pk=1)
            waiting_changes.change_limits(operator, values, now)
            super().save_model(request, obj, form, change)
            if {"day_zone", "day_hour"} & set(form.changed_data):
                read = form.cleaned_data
                self._set_gaming_day(request, read["day_zone"], read["day_hour"], now)

    def _set_gaming_day(self, request: HttpRequest, zone: str, hour: int, now: dt.datetime) -> None:
        rule = gaming_days.set_begin(zone, hour, now)
        message = _("The gaming day begins at %(hour)02d:00, %(zone)s, from %(day)s on.")
        day = times.format_date(rule.first_day, "j M Y")
        messages.success(request, message % {"hour": rule.hour, "zone": rule.zone, "day": day})

    def change_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """Ask for a recent second factor before settings are changed."""
        return reauthentication.require_recent_factor(super().change_view)(
            request, *args, **options
        )

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        context["show_save_and_continue"] = False  # saving always returns here
        context |= {"title": _("Site settings"), "subtitle": None}
        waiting = waiting_changes.list_waiting(server_clock.now()).filter(user=None)
        context["waiting"] = [(row, waiting_changes.describe(row)) for row in waiting]
        page: HttpResponse = super().render_change_form(request, context, *args, **options)
        return page

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """The form. What is saved applies at once here, within two seconds in other processes."""
        page: HttpResponse = super().changeform_view(request, *args, **options)
        if request.method == "POST":
            site_settings.refresh()
        return page

    def response_change(self, request: HttpRequest, obj: HouseSettings) -> HttpResponse:
        """Return to the form."""
        waiting = waiting_changes.list_waiting(server_clock.now()).filter(user=None)
        if any(getattr(obj, each.name) == each.after for each in waiting):
            messages.warning(request, RAISE_WAITS)
        else:
            messages.success(request, _("Saved. The new settings apply now."))
        return redirect(request.path)

    def log_values(self, name: str, before: Any, after: Any) -> tuple[Any, Any]:
        """Of the blocked words only those that were removed and added; of addresses and the URL what
        tells them apart.
        """
        if name == "languages":  # stored as one text, shown as several ticks
            return ",".join(before), after
        if name == "alert_emails":
            return audit_log.shorten_addresses(before), audit_log.shorten_addresses(after)
        if name == "alert_webhook":
            return shorten_url(before), shorten_url(after)
        if name != "blocked_words":
            return before, after
        old, new = (word_filter.split_entries(text) for text in (before, after))
        removed, added = ([one for one in a if one not in b] for a, b in ((old, new), (new, old)))
        return ", ".join(removed), ", ".join(added)

    adjustments = money_column("adjustment_limit", _("maximum per adjustment"))
    adjustments_of_a_day = money_column("adjustment_day_limit", _("maximum adjustments per day"))
    voids = money_column("void_limit", _("maximum void without approval"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
