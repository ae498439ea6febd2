"""Forms for rounds: search, void, report."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.lib.form_fields import LineField, LinesField
from accounts.lib.ids import LARGEST_ID
from tables.engine.presets import PRESETS
from tables.game.void_plan import VoidPlan
from tables.models import Report, Round, Void
from tables.operators.lists import TableListForm
from tables.operators.rounds.reports import ReportFilters
from tables.operators.rounds.round_list import RoundListFilters


class RoundsForm(TableListForm):
    """The filter of the list of rounds."""

    number = forms.IntegerField(
        label=_("Round number"), required=False, min_value=1, max_value=LARGEST_ID
    )
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

    def clean_number(self) -> int | None:
        number: int | None = self.cleaned_data["number"]
        if number is not None and not Round.objects.filter(pk=number).exists():
            raise forms.ValidationError(_("No round has this number."))
        return number

    @property
    def filters(self) -> RoundListFilters:
        """The filter of a valid form."""
        data = self.cleaned_data
        return RoundListFilters(
            data["table"], data["player"], data["rules"], data["flag"], self.times
        )


class PlanForm(forms.Form):
    """Knows which plan of a void it was shown with."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def show(self, plan: VoidPlan) -> None:
        """Be shown with this plan."""
        self.initial["seen"] = plan.fingerprint
        if self.is_bound:
            data: Any = self.data.copy()  # type: ignore[attr-defined]  # of a request
            data["seen"] = plan.fingerprint
            self.data = data


class VoidForm(PlanForm):
    """The reason of a void."""

    reason = LineField(
        label=_("Reason"),
        max_length=Void._meta.get_field("reason").max_length,
        help_text=_("The players of this round see this text."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": "60"}),
    )


class DecideForm(PlanForm):
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
        help_text=_("Who reported sees this text, on the round's page or under “Your reports”."),
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
    )


class ReportsForm(TableListForm):
    """The filter of the list of reports."""

    player_label = _("Reported or reporting player")

    kind = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("All")), *Report.Kind.choices]
    )
    answered = forms.BooleanField(required=False, widget=forms.HiddenInput)

    @property
    def filters(self) -> ReportFilters:
        """The filter of a valid form."""
        data = self.cleaned_data
        return ReportFilters(
            is_open=not data["answered"], kind=data["kind"], table=data["table"],
            player=data["player"], times=self.times,
        )  # fmt: skip
