"""Forms that open a table: a preset and its options."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.lib.money import format_money
from accounts.lib.plain_text import to_plain_line
from tables.engine.errors import OptionError
from tables.engine.options import ODDS, OPTIONS, customize
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.models import Table
from tables.texts.refusals import translate_refusal
from tables.texts.rules_sections import format_odds

AS_PRESET = ("", _("default"))
_YES_NO = ((AS_PRESET), ("yes", _("yes")), ("no", _("no")))
_AMOUNTS = ("minimum", "maximum")
_NUMBERS = ("seats", "decks", "max_hands")


def _format_defaults(name: str) -> str:
    """Format the values of an option that is left blank, each with the rule sets that have it."""
    titles: dict[str, list[str]] = {}
    for rules in PRESETS.values():
        if name in _AMOUNTS and rules.stakes is None:
            continue
        value = format_value(name, rules)
        titles.setdefault(value, []).append(gettext(rules.title))
    if len(titles) == 1:
        return gettext("Default: %(value)s.") % {"value": next(iter(titles))}
    values = [
        gettext("%(value)s (%(titles)s)") % {"value": value, "titles": ", ".join(those)}
        for value, those in titles.items()
    ]
    return gettext("Default: %(value)s.") % {"value": ", ".join(values)}


def format_value(name: str, rules: Ruleset) -> str:
    """The value of an option in ``rules``, as the form writes it."""
    if name in _AMOUNTS:
        amount = getattr(rules.stakes, name)
        return gettext("no limit") if amount is None else format_money(amount)
    if name == "natural_pays":
        return format_odds(rules.natural_pays)
    if name in _NUMBERS:
        return str(getattr(rules, name))
    return gettext("yes") if getattr(rules, name) else gettext("no")


def _option_field(name: str) -> forms.Field:
    """The field of an option; empty means the preset's value."""
    option = OPTIONS[name]
    said = _("Whole numbers only.") if name in _AMOUNTS else _(option.help)
    common: dict[str, Any] = {
        "label": _(option.label),
        "required": False,
        "help_text": format_lazy("{} {}", said, lazy(_format_defaults, str)(name)),
    }
    if name in _AMOUNTS:
        return forms.IntegerField(**common)
    if name in _NUMBERS:
        return forms.IntegerField(**common)
    if name == "natural_pays":
        choices = [AS_PRESET, *((name, format_odds(pays)) for name, pays in ODDS.items())]
        choices.append(("none", _("just 21")))
        return forms.ChoiceField(choices=choices, **common)
    return forms.ChoiceField(choices=_YES_NO, **common)


class TableForm(forms.ModelForm):
    """Opens a table; conflicting options are refused with the reason."""

    no_maximum = forms.BooleanField(label=_("No maximum bet"), required=False)

    class Meta:
        model = Table
        fields: tuple[str, ...] = (
            "name", "rules_key", "is_private", "has_chat", "has_hints", "betting_seconds",
            "turn_seconds",
        )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in OPTIONS:
            self.fields[name] = _option_field(name)

    def clean_name(self) -> str:
        """Convert the name to one plain line."""
        name = to_plain_line(self.cleaned_data["name"])
        if not name:
            raise forms.ValidationError(_("Give the table a name."))
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for seconds in ("betting_seconds", "turn_seconds"):
            if not 5 <= cleaned.get(seconds, 5) <= 300:
                self.add_error(seconds, _("Between 5 and 300 seconds."))
        key = cleaned.get("rules_key")
        if key is None:
            return cleaned
        self.options = self._options(cleaned)
        try:
            customize(key, self.options)
        except OptionError as error:
            field = error.option if error.option in self.fields else None
            self.add_error(field, translate_refusal(error))
        return cleaned

    def _options(self, cleaned: dict[str, Any]) -> dict[str, Any]:
        """The entered options, as the plain values that a table stores."""
        options: dict[str, Any] = {}
        for name in OPTIONS:
            value = cleaned.get(name)
            if value in ("", None):
                continue
            if name in _AMOUNTS:
                value *= 100
            elif value in ("yes", "no"):
                value = value == "yes"
            options[name] = value
        if cleaned.get("no_maximum"):
            options["maximum"] = "none"
        return options

    @property
    def rules_errors(self) -> dict[str, list[str]]:
        """The errors of rule set and options, by field."""
        about = {"rules_key", "no_maximum", NON_FIELD_ERRORS, *OPTIONS}
        return {
            name: [str(one) for one in said] for name, said in self.errors.items() if name in about
        }

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a valid form, by name of the table's field."""
        fields = (
            "name", "betting_seconds", "turn_seconds", "is_private", "has_chat", "has_hints",
        )  # fmt: skip
        return {name: self.cleaned_data[name] for name in fields} | {"rules_options": self.options}


class PlayerTableForm(TableForm):
    """The form for players. At a private table they set when an idle seat is freed."""

    class Meta(TableForm.Meta):
        fields = (*TableForm.Meta.fields, "idle_minutes")
        labels = {
            "idle_minutes": _("Minutes a seat is kept without a bet"),
            "name": _("Name of the table"),
            "rules_key": _("Rules"),
            "is_private": _("Private: only people with the link can join"),
            "has_chat": _("People can chat"),
            "has_hints": _("Players may turn on hints"),
            "betting_seconds": _("Seconds to bet"),
            "turn_seconds": _("Seconds for each decision"),
        }
        help_texts = {
            "has_hints": _(
                "A hint shows what each action is worth, to that player alone. Everyone sees a mark at the "
                "seat."
            ),
            "idle_minutes": _(
                "Private tables only: 1 to 60 minutes while nobody bets. Default: no limit. Missing "
                "two rounds in a row always costs the seat."
            ),
            "betting_seconds": _("5 to 300, starting with the first bet."),
            "turn_seconds": _("5 to 300. When time runs out, the hand stands."),
        }
        error_messages = {"name": {"required": _("Give the table a name.")}}

    def clean_idle_minutes(self) -> int | None:
        """Check the bounds; empty means no limit."""
        minutes: int | None = self.cleaned_data["idle_minutes"]
        if minutes is not None and not 1 <= minutes <= 60:
            raise forms.ValidationError(_("Between 1 and 60 minutes."))
        return minutes

    @property
    def settings(self) -> dict[str, Any]:
        return super().settings | {"idle_minutes": self.cleaned_data["idle_minutes"]}
