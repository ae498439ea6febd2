"""Forms for rounds: search, void, report."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.lib.form_fields import LineField, LinesField
from accounts.lib.ids import LARGEST_ID
from accounts.models import User
from accounts.users import search
from tables.engine.presets import PRESETS
from tables.models import Report, Round, Table, Void
from tables.operators.rounds.round_list import RoundListFilters


class RoundsForm(forms.Form):
    """The filter of the list of rounds."""

    number = forms.IntegerField(
        label=_("Round number"), required=False, min_value=1, max_value=LARGEST_ID
    )
    table = forms.IntegerField(
        label=_("Table number"), required=False, min_value=1, max_value=LARGEST_ID
    )
    player = forms.CharField(label=_("Player name"), required=False, max_length=20)
    rules = forms.ChoiceField(
        label=_("Rules"),
        required=False,
        choices=[("", _("All")), *((key, _(rules.title)) for key, rules in PRESETS.items())],
    )
    flag = forms.ChoiceField(
        label=_("Only"),
        required=False,
        choices=[
            ("", _("All")),
            ("void", _("void")),
            ("waiting", _("waiting for a second operator")),
            ("reported", _("reported by players")),
        ],
    )
    before = forms.IntegerField(
        required=False, min_value=1, max_value=LARGEST_ID, widget=forms.HiddenInput
    )

    def clean_number(self) -> int | None:
        number: int | None = self.cleaned_data["number"]
        if number is not None and not Round.objects.filter(pk=number).exists():
            raise forms.ValidationError(_("No round has this number."))
        return number

    def clean_table(self) -> int | None:
        number: int | None = self.cleaned_data["table"]
        if number is not None and not Table.objects.filter(pk=number).exists():
            raise forms.ValidationError(_("No table has this number."))
        return number

    def clean_player(self) -> User | None:
        name = self.cleaned_data["player"]
        if not name:
            return None
        user = search.find_by_name(name)
        if user is None:
            raise forms.ValidationError(_("No player has that name."))
        return user

    @property
    def filters(self) -> RoundListFilters:
        """The filter of a valid form."""
        read = self.cleaned_data
        return RoundListFilters(read["table"], read["player"], read["rules"], read["flag"])

    @property
    def query(self) -> dict[str, Any]:
        """The input, as query parameters of a link."""
        named = ("table", "player", "rules", "flag")
        return {name: value for name in named if (value := self.cleaned_data.get(name))}


class VoidForm(forms.Form):
    """The reason of a void."""

    reason = LineField(
        label=_("Reason"),
        max_length=Void._meta.get_field("reason").max_length,
        help_text=_("The players of this round see this text."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": "60"}),
    )


class DecideForm(forms.Form):
    """The decision about another operator's void."""

    decision = forms.ChoiceField(
        label=_("Decision"),
        choices=[("approve", _("Void the round")), ("refuse", _("Refuse the void"))],
        widget=forms.RadioSelect,
    )
    reason = LineField(
        label=_("Reason for refusing"),
        required=False,
        max_length=300,
        help_text=_("Required to refuse. Goes into the audit log. Only operators see it."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": "60"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("decision") == "refuse" and not cleaned.get("reason"):
            self.add_error("reason", _("Enter the reason for refusing."))
        return cleaned


class AnswerForm(forms.Form):
    """The answer to a player's report."""

    text = LinesField(
        label=_("Answer"),
        max_length=Report._meta.get_field("answer").max_length,
        help_text=_("The player sees this text on the round's page."),
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
    )


class ReportsForm(forms.Form):
    """The filter of the list of reports."""

    answered = forms.BooleanField(required=False)
    before = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)
