"""Filter forms of the history pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.lib import names
from accounts.lib.form_fields import DayInput, LinesField
from accounts.lib.ids import LARGEST_ID
from accounts.models import User
from tables.engine.presets import PRESETS
from tables.models import VOID, Report, Table
from tables.records.rounds import RoundFilters
from tables.texts.outcomes import OUTCOMES

_NOT_THERE = {"invalid_choice": _("You have nothing that matches this, so this filter is ignored.")}
_DAY = {"invalid": _("Enter a valid date. This filter is ignored.")}


def choice_field(label: Any, everything: Any, choices: Iterable[tuple[str, Any]]) -> forms.Field:
    """A field with these choices and an empty one labelled ``everything``."""
    return forms.ChoiceField(
        label=label, required=False, choices=[("", everything), *choices], error_messages=_NOT_THERE
    )


def _day_field(label: Any) -> forms.Field:
    return forms.DateField(
        label=label,
        required=False,
        widget=DayInput(),
        input_formats=["%Y-%m-%d"],
        error_messages=_DAY,
    )


class DaysForm(forms.Form):
    """The first and last day, after other fields. Invalid input shows an error and is ignored."""

    def __init__(self, data: Mapping[str, Any], fields: Mapping[str, forms.Field]) -> None:
        super().__init__(data)
        self.fields.update(fields)
        self.fields["from"] = _day_field(_("First day"))
        self.fields["to"] = _day_field(_("Last day"))
        self.full_clean()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        since, until = cleaned.get("from"), cleaned.get("to")
        if since and until and until < since:
            self.add_error("to", _("The last day is before the first, so this filter is ignored."))
        return cleaned

    @property
    def query(self) -> dict[str, str]:
        """The valid input, as query parameters of a link."""
        return {name: str(value) for name, value in self.cleaned_data.items() if value}


class FilterForm(DaysForm):
    """The filter of the history."""

    def __init__(self, data: Mapping[str, Any], tables: Iterable[Table]) -> None:
        titles = [(key, _(rules.title)) for key, rules in PRESETS.items()]
        outcomes = [(outcome.value, words) for outcome, words in OUTCOMES.items()]
        outcomes.append((VOID, _("Void")))
        fields = {
            "rules": choice_field(_("Rules"), _("All rule sets"), titles),
            "table": choice_field(_("Table"), _("All tables"), _name_choices(tables)),
            "outcome": choice_field(_("Outcome"), _("All outcomes"), outcomes),
        }
        super().__init__(data, fields)

    @property
    def filters(self) -> RoundFilters:
        """The valid filters."""
        data = self.cleaned_data
        return RoundFilters(
            rules=data.get("rules", ""),
            table=int(data["table"]) if data.get("table") else None,
            outcome=data.get("outcome", ""),
            since=data.get("from"),
            until=data.get("to"),
            zone=timezone.get_current_timezone(),
        )


class ReportForm(forms.Form):
    """A player's report about a round; the text is optional."""

    text = LinesField(
        label=_("What looks wrong? (optional)"),
        required=False,
        max_length=Report._meta.get_field("text").max_length,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class TableReportForm(forms.Form):
    """A player's report of a person or a chat line."""

    player = forms.CharField(required=False, max_length=names.MOST_CODE_POINTS)
    line = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)
    reason = forms.ChoiceField(
        choices=Report.Reason.choices,
        error_messages=dict.fromkeys(("required", "invalid_choice"), _("Choose a reason.")),
    )
    text = LinesField(required=False, max_length=Report._meta.get_field("text").max_length)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "line" in self.errors or not (cleaned.get("line") or cleaned.get("player")):
            raise forms.ValidationError(_("Choose a person or a message."))
        if cleaned.get("line") and cleaned.get("reason", "other") not in Report.LINE_REASONS:
            self.add_error("reason", _("Choose a reason."))
        return cleaned


class ResetForm(forms.Form):
    """Clears the history; it asks for the player's name to prevent mistakes."""

    name = forms.CharField(
        label=_("Your name"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off"}),
    )

    def __init__(self, user: User, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.user = user

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if names.folded(name) != self.user.folded:
            raise forms.ValidationError(_("That name doesn't match yours. Nothing was cleared."))
        return name


def _name_choices(tables: Iterable[Table]) -> list[tuple[str, str]]:
    """The tables by name, with the number if several have the same name."""
    rows = list(tables)
    bearers = Counter(table.name for table in rows)
    return [
        (str(table.pk), table.name if bearers[table.name] == 1 else f"{table.name} ({table.pk})")
        for table in rows
    ]
