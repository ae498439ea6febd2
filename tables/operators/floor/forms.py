"""Forms of the floor."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.lib.form_fields import LineField
from accounts.models import HouseSettings
from tables.models import Table

A_WEEK: Final = 7 * 24 * 60
MOST_ID: Final = 2**53


class PauseForm(forms.Form):
    """The reason of a pause."""

    reason = LineField(
        label=_("Message to players"),
        max_length=Table._meta.get_field("paused_because").max_length,
    )


class AnnouncementForm(forms.Form):
    """The text of an announcement."""

    text = LineField(
        label=_("Message to players"),
        max_length=Table._meta.get_field("announcement").max_length,
    )


class TakeBackForm(forms.Form):
    """The announcement to take back, by the time at which it was made."""

    made_at = forms.CharField(max_length=40)

    def clean_made_at(self) -> dt.datetime:
        try:
            made_at = dt.datetime.fromisoformat(self.cleaned_data["made_at"])
        except ValueError:
            raise forms.ValidationError(_("This is no announcement.")) from None
        if made_at.tzinfo is None:
            raise forms.ValidationError(_("This is no announcement."))
        return made_at


class MaintenanceForm(forms.Form):
    """The begin and the text of maintenance."""

    minutes = forms.IntegerField(
        label=_("Starts in (minutes)"),
        min_value=0,
        max_value=A_WEEK,
        initial=10,
        help_text=_("0 starts it now. Rounds in play are finished."),
    )
    says = LineField(
        label=_("Message to players (optional)"),
        max_length=HouseSettings._meta.get_field("maintenance_says").max_length,
        required=False,
        help_text=_("For example, how long it will take. The countdown is added automatically."),
    )
    instead_of = forms.CharField(widget=forms.HiddenInput, max_length=40, required=False)

    def at(self, now: dt.datetime) -> dt.datetime:
        """The begin, in whole seconds."""
        return (now + dt.timedelta(minutes=self.cleaned_data["minutes"])).replace(microsecond=0)


class RemoveLineForm(forms.Form):
    """The chat line to remove, and the report from whose page."""

    line = forms.IntegerField(min_value=1, max_value=MOST_ID)
    report = forms.IntegerField(min_value=1, max_value=MOST_ID, required=False)


class SilenceForm(forms.Form):
    """The player to silence at this table, or not any more."""

    player = forms.CharField(max_length=20)
    on = forms.TypedChoiceField(choices=(("1", ""), ("0", "")), coerce=lambda value: value == "1")
