"""Forms of invites and bans."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.doors import bans, invites
from accounts.doors.bans import Network
from accounts.ledger import days
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.lib.form_fields import DayInput, LineField
from accounts.models import NetworkBan, SignUpInvite

LONGEST: Final = dt.timedelta(days=366)
"""The longest time of a ban, and of an invite with an end."""
OTHER: Final = "until"
TIMES: Final = {
    "hour": dt.timedelta(hours=1),
    "day": dt.timedelta(days=1),
    "week": dt.timedelta(weeks=1),
    "month": dt.timedelta(days=30),
}


def _check_day(day: dt.date | None) -> dt.datetime | None:
    """The beginning of the day in the zone of the operator.

    Raises ``ValidationError`` for one that is not ahead.
    """
    if day is None:
        return None
    zone = timezone.get_current_timezone()
    today = server_clock.now().astimezone(zone).date()
    if not today < day <= today + LONGEST:
        raise forms.ValidationError(gettext("Choose a day after today, and within a year."))
    return days.day_begins(day, zone)


class InviteForm(forms.Form):
    """Creates an invite to sign up."""

    label = LineField(
        label=_("For"),
        max_length=SignUpInvite._meta.get_field("label").max_length,
        help_text=_("Whom it is for, such as “Friday group”. Only operators see it."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": "40"}),
    )
    places = forms.IntegerField(
        label=_("People"),
        initial=1,
        min_value=1,
        max_value=invites.MOST_PLACES,
        help_text=_("How many accounts can be made with the link."),
    )
    until = forms.DateField(
        label=_("Until (optional)"),
        required=False,
        help_text=_("The link ends when this day begins."),
        widget=DayInput(),
    )

    def clean_until(self) -> dt.datetime | None:
        """The end as a time."""
        return _check_day(self.cleaned_data["until"])


class BanForm(forms.Form):
    """Bans an address or a network. ``own_address`` is that of the operator."""

    network = LineField(
        label=_("Address or network"),
        max_length=60,
        help_text=_("192.0.2.7, 192.0.2.0/24 or 2001:db8::7. An IPv6 address stands for its /64."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    time = forms.ChoiceField(
        label=_("For"),
        choices=[
            ("hour", _("1 hour")),
            ("day", _("1 day")),
            ("week", _("1 week")),
            ("month", _("30 days")),
            (OTHER, _("Until a day (below)")),
        ],
        initial="day",
    )
    until = forms.DateField(
        label=_("Until (optional)"),
        required=False,
        help_text=_("The ban ends when this day begins."),
        widget=DayInput(),
    )
    reason = LineField(
        label=_("Reason"),
        max_length=NetworkBan._meta.get_field("reason").max_length,
        help_text=_("Banned visitors see this text."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": "60"}),
    )

    def __init__(self, *args: Any, own_address: str | None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._own_address = own_address

    def clean_network(self) -> Network:
        """The network; an address is the smallest one that a ban is for."""
        try:
            return bans.parse_network(self.cleaned_data["network"], own_address=self._own_address)
        except OperationRefused as refused:
            raise forms.ValidationError(str(refused)) from refused

    def clean_until(self) -> dt.datetime | None:
        """The end as a time. A day beside another choice is refused: one of both is a mistake."""
        if self.cleaned_data.get("time") != OTHER:
            if self.cleaned_data["until"] is not None:
                raise forms.ValidationError(
                    gettext("Choose “Until a day” above, or leave the day empty.")
                )
            return None
        until = _check_day(self.cleaned_data["until"])
        if until is None:
            raise forms.ValidationError(gettext("Choose the day."))
        return until

    def find_end(self, now: dt.datetime) -> dt.datetime:
        """When the ban ends."""
        until: dt.datetime | None = self.cleaned_data["until"]
        return until or now + TIMES[self.cleaned_data["time"]]
