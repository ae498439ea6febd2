"""Forms that open or change a table: a preset and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.concurrent_edits import ConcurrentEditMixin
from accounts.lib.money import format_money
from accounts.lib.plain_text import to_plain_line
from accounts.users import blocked_words
from tables.engine.errors import OptionError
from tables.engine.options import MOST_STAKE, ODDS, OPTIONS, customize
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.models import Table
from tables.models.matches import may_be_duplicate
from tables.models.table import TIME_BANKS
from tables.texts.refusals import STAYS_PRIVATE, translate_refusal
from tables.texts.rules_sections import format_odds

AS_PRESET = ("", _("default"))
_YES_NO = ((AS_PRESET), ("yes", _("yes")), ("no", _("no")))
_AMOUNTS = ("minimum", "maximum")
_NUMBERS = ("seats", "decks", "max_hands")
MATCH_ROUNDS, MATCH_STACK = (5, 100), (100, 1_000_000)
DEFAULT_ROUNDS, DEFAULT_STACK = 20, 1_000
"""The least and the most of them; a stack in whole units."""
SMALLEST_STACK, LARGEST_STACK = 1, 1_000_000
"""The bounds of a stack, in whole units."""
MOST_OWN_TOP_UPS = 20
"""The most further stacks that a host lets players take themselves."""
_SETTINGS = (
    "name", "betting_seconds", "turn_seconds", "time_bank_seconds", "is_private", "has_chat",
    "has_hints", "has_behind",
)  # fmt: skip


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
    help_text = _("Whole numbers only.") if name in _AMOUNTS else _(option.help)
    common: dict[str, Any] = {
        "label": _(option.label),
        "required": False,
        "help_text": format_lazy("{} {}", help_text, lazy(_format_defaults, str)(name)),
    }
    if name in _AMOUNTS:
        return forms.IntegerField(min_value=1, max_value=MOST_STAKE // 100, **common)
    if name in _NUMBERS:
        return forms.IntegerField(**common)
    if name == "natural_pays":
        choices = [AS_PRESET, *((name, format_odds(pays)) for name, pays in ODDS.items())]
        choices.append(("none", format_odds(None)))
        return forms.ChoiceField(choices=choices, **common)
    return forms.ChoiceField(choices=_YES_NO, **common)


class TableForm(forms.ModelForm):
    """Opens a table; conflicting options are refused with the reason."""

    no_maximum = forms.BooleanField(label=_("No maximum bet"), required=False)
    time_bank_seconds = forms.TypedChoiceField(
        label=_("Time bank of each player"),
        help_text=_(
            "Extra time for decisions about a hand, used when their seconds are over. It grows by a "
            "second with each round, up to twice as much."
        ),
        choices=TIME_BANKS, coerce=int, required=False,
    )  # fmt: skip

    class Meta:
        model = Table
        fields: tuple[str, ...] = (
            "name", "rules_key", "is_private", "has_chat", "has_hints", "has_behind",
            "betting_seconds", "turn_seconds", "time_bank_seconds",
        )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # It would cut a name that is too long without a word.
        self.fields["name"].widget.attrs.pop("maxlength", None)
        self.fields["name"].error_messages["max_length"] = _(
            "That name is too long: %(show_value)s letters, at most %(limit_value)s."
        )
        for name in OPTIONS:
            self.fields[name] = _option_field(name)

    def clean_name(self) -> str:
        """Convert the name to one plain line."""
        name = to_plain_line(self.cleaned_data["name"])
        if not name:
            raise forms.ValidationError(_("Give the table a name."))
        if name != self.initial.get("name") and blocked_words.has_blocked_word(name):
            raise forms.ValidationError(
                _("That name has a word that is not allowed here. Choose another one.")
            )
        return name

    def clean_time_bank_seconds(self) -> int:
        """The chosen seconds; 0 without a choice."""
        return self.cleaned_data["time_bank_seconds"] or 0

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
            name: [str(one) for one in errors]
            for name, errors in self.errors.items()
            if name in about
        }

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a valid form, by name of the table's field."""
        return {name: self.cleaned_data[name] for name in _SETTINGS} | {
            "rules_options": self.options
        }


class IdleMinutesForm(TableForm):
    """At a private table, players set when an idle seat is freed."""

    def clean_idle_minutes(self) -> int | None:
        """Check the bounds; empty means no limit."""
        minutes: int | None = self.cleaned_data["idle_minutes"]
        if minutes is not None and not 1 <= minutes <= 60:
            raise forms.ValidationError(_("Between 1 and 60 minutes."))
        return minutes


MATCH, DUPLICATE = "match", "duplicate"
UNTIL_ONE_IS_LEFT = "one"


def _top_ups_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=_("More stacks that players may take"),
        required=False,
        initial=2,
        min_value=0,
        max_value=MOST_OWN_TOP_UPS,
        help_text=_("0 to 20 for each player. With 0, only you give another stack."),
        error_messages=dict.fromkeys(
            ("min_value", "max_value", "invalid"), _("A whole number between 0 and 20.")
        ),
    )


class PlayerTableForm(IdleMinutesForm):
    """The form for players: an open table, or a match. At a private table they set when an idle seat is
    freed; at any table, whether everyone plays with chips of the table.
    """

    has_chips = forms.BooleanField(
        label=_("Chips of this table: everyone starts with the same stack"),
        required=False,
        help_text=_(
            "Nobody's own money is touched. The chips are worth nothing elsewhere, and the rounds are "
            "in no leaderboard and no figures. A settlement sheet shows who won what."
        ),
    )
    stack = forms.IntegerField(
        label=_("Chips in a stack"),
        required=False,
        min_value=SMALLEST_STACK,
        max_value=LARGEST_STACK,
        initial=1_000,
        help_text=_("A whole number, enough for the minimum bet."),
        error_messages=dict.fromkeys(
            ("min_value", "max_value", "invalid"), _("A whole number between 1 and 1,000,000.")
        ),
    )
    top_ups = _top_ups_field()
    play = forms.ChoiceField(
        label=_("What do you play?"),
        required=False,
        choices=[
            ("", _("An open table")),
            (MATCH, _("A match")),
            (DUPLICATE, _("A duplicate match")),
        ],
        help_text=_(
            "In a match, who has the most chips after the last round wins. In a duplicate match, each "
            "player gets the same cards, at a table of their own."
        ),
    )
    match_rounds = forms.IntegerField(
        label=_("Rounds of the match"),
        required=False,
        initial=DEFAULT_ROUNDS,
        help_text=_("5 to 100."),
    )
    match_end = forms.ChoiceField(
        label=_("The match ends"),
        required=False,
        choices=[
            ("", _("after these rounds")),
            (UNTIL_ONE_IS_LEFT, _("when one player is left")),
        ],
        help_text=_("When one player is left, it ends anyway; and after 200 rounds at the latest."),
    )
    match_stack = forms.IntegerField(
        label=_("Chips of each player"),
        required=False,
        initial=DEFAULT_STACK,
        help_text=_("The same for everybody, and nobody gets more. They are not your balance."),
    )

    class Meta(TableForm.Meta):
        fields = (*TableForm.Meta.fields, "idle_minutes")
        labels = {
            "idle_minutes": _("Minutes a seat is kept without a bet"),
            "name": _("Name of the table"),
            "rules_key": _("Rules"),
            "is_private": _("Private: only people with the link can join"),
            "has_chat": _("People can chat"),
            "has_hints": _("Players may turn on hints"),
            "has_behind": _("Watchers may bet behind players"),
            "betting_seconds": _("Seconds to bet"),
            "turn_seconds": _("Seconds for each decision"),
        }
        help_texts = {
            "has_hints": _(
                "A hint shows what each action is worth, to that player alone. Everyone sees a mark at the "
                "seat."
            ),
            "has_behind": _(
                "Up to three people stake on a player's hand before the deal. Only where bets are "
                "made and the dealer doesn't match them."
            ),
            "idle_minutes": _(
                "Private tables only: 1 to 60 minutes while nobody bets. Default: no limit. Missing "
                "two rounds in a row always costs the seat."
            ),
            "betting_seconds": _("5 to 300, starting with the first bet."),
            "turn_seconds": _("5 to 300. When time runs out, the hand stands."),
        }
        error_messages = {"name": {"required": _("Give the table a name.")}}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("play"):
            # A match has a stack of its own and keeps its seats: what is entered about other stacks
            # and about idle seats does not count.
            cleaned |= {"has_chips": False, "idle_minutes": None}
            for name in ("stack", "top_ups", "idle_minutes"):
                self.errors.pop(name, None)
            self._clean_match(cleaned)
        elif cleaned.get("has_chips"):
            self._check_stack(cleaned)
        return cleaned

    def _clean_match(self, cleaned: dict[str, Any]) -> None:
        """Check that a match can be played by these rules."""
        if (
            not MATCH_ROUNDS[0]
            <= (cleaned.get("match_rounds") or DEFAULT_ROUNDS)
            <= MATCH_ROUNDS[1]
        ):
            self.add_error("match_rounds", _("Between 5 and 100 rounds."))
        if not MATCH_STACK[0] <= (cleaned.get("match_stack") or DEFAULT_STACK) <= MATCH_STACK[1]:
            self.add_error("match_stack", _("Between 100 and 1,000,000 chips."))
        if self.rules_errors:
            return
        rules = customize(cleaned["rules_key"], self.options)
        if rules.stakes is None:
            self.add_error("play", _("A match needs rules with bets."))
        elif "match_stack" not in self.errors and self.match_stack_size < rules.stakes.minimum:
            self.add_error("match_stack", _("The stack is smaller than the smallest bet."))
        elif cleaned["play"] == DUPLICATE and not may_be_duplicate(rules):
            self.add_error(
                "play",
                _(
                    "A duplicate match needs rules that shuffle before every round, so that all "
                    "players begin each round with the same cards."
                ),
            )

    @property
    def match_stack_size(self) -> int:
        """The stack of each player in a match, in hundredths."""
        return (self.cleaned_data.get("match_stack") or DEFAULT_STACK) * 100

    @property
    def rounds_of_match(self) -> int | None:
        """The number of rounds of a match; ``None``: until one player is left."""
        is_duplicate = self.cleaned_data["play"] == DUPLICATE
        if self.cleaned_data.get("match_end") == UNTIL_ONE_IS_LEFT and not is_duplicate:
            return None
        return self.cleaned_data.get("match_rounds") or DEFAULT_ROUNDS

    def _check_stack(self, cleaned: Mapping[str, Any]) -> None:
        if self.rules_errors:
            return
        stakes, stack = customize(cleaned["rules_key"], self.options).stakes, cleaned.get("stack")
        if stakes is None:
            message = _("Nothing is bet under these rules, so there are no chips.")
            self.add_error("has_chips", message)
        elif "stack" in self.errors:
            return
        elif stack is None:
            self.add_error("stack", _("Enter how many chips a stack has."))
        elif stack * 100 < stakes.minimum:
            least = gettext("A stack must be enough for the minimum bet of %(least)s.")
            self.add_error("stack", least % {"least": format_money(stakes.minimum)})

    @property
    def settings(self) -> dict[str, Any]:
        chosen = super().settings | {"idle_minutes": self.cleaned_data["idle_minutes"]}
        if self.cleaned_data["has_chips"]:
            chosen["stack_size"] = self.cleaned_data["stack"] * 100
            chosen["top_ups"] = self.cleaned_data["top_ups"] or 0
        return chosen


class EditForm(ConcurrentEditMixin, TableForm):
    """Changes an open table, but not its rule set. ``made_from`` identifies the shown settings; if they
    have changed since, it becomes that of the present ones, with which the form is merged.
    """

    made_from = forms.CharField(widget=forms.HiddenInput, max_length=40)

    def __init__(
        self, rules_key: str, *args: Any, stays_private: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.rules_key, self.stays_private = rules_key, stays_private
        del self.fields["rules_key"]
        self._show_preset_values()

    def _show_preset_values(self) -> None:
        """Show the preset's value as the empty choice or the placeholder of each option."""
        preset_values = to_initial({"rules_options": _plain_options(PRESETS[self.rules_key])})
        for name in OPTIONS:
            field, value = self.fields[name], preset_values.get(name)
            if isinstance(field, forms.ChoiceField):
                choices: list[Any] = list(field.choices)  # type: ignore[arg-type]  # no callable here
                words = dict(choices)[value]
                field.choices = [("", f"{AS_PRESET[1]}: {words}"), *choices[1:]]
            elif value is not None:
                field.widget.attrs["placeholder"] = str(value)

    def clean(self) -> dict[str, Any]:
        self.cleaned_data["rules_key"] = self.rules_key
        if self.stays_private and not self.cleaned_data.get("is_private"):
            self.add_error("is_private", STAYS_PRIVATE)
        return super().clean()


class HostForm(EditForm, IdleMinutesForm):
    """Changes a table as its host. ``has_rounds``: it can become neither private nor public.
    ``is_public``: at a public table the site says when an idle seat is freed. ``has_chips``: it has
    chips of its own, and says how many stacks players may take.
    """

    top_ups = _top_ups_field()

    class Meta(TableForm.Meta):
        fields = PlayerTableForm.Meta.fields
        labels = PlayerTableForm.Meta.labels
        help_texts = PlayerTableForm.Meta.help_texts
        error_messages = PlayerTableForm.Meta.error_messages

    def __init__(
        self,
        rules_key: str,
        *args: Any,
        has_rounds: bool,
        is_public: bool,
        has_chips: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(rules_key, *args, **kwargs)
        if has_rounds:
            del self.fields["is_private"]
            if is_public:
                del self.fields["idle_minutes"]
        if not has_chips:
            del self.fields["top_ups"]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the form shows."""
        names = [name for name in (*_SETTINGS, "idle_minutes") if name in self.fields]
        chosen = {name: self.cleaned_data[name] for name in names}
        if "top_ups" in self.fields:
            chosen["top_ups"] = self.cleaned_data["top_ups"] or 0
        return chosen | {"rules_options": self.options}


def to_initial(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a table as initial values of a form."""
    initial = {name: value for name, value in settings.items() if name != "rules_options"}
    for name, value in settings["rules_options"].items():
        if name == "maximum" and value == "none":
            initial["no_maximum"] = True
        elif isinstance(value, bool):
            initial[name] = "yes" if value else "no"
        elif name in ("minimum", "maximum"):
            initial[name] = value // 100
        else:
            initial[name] = value
    return initial


def _plain_options(rules: Ruleset) -> dict[str, Any]:
    """The plain values of all options of a rule set."""
    stakes = rules.stakes
    pays = {odds: name for name, odds in ODDS.items()}
    options: dict[str, Any] = {}
    for name in OPTIONS:
        value = (
            getattr(stakes, name, None) if name in ("minimum", "maximum") else getattr(rules, name)
        )
        if name == "natural_pays":
            value = "none" if value is None else pays[value]
        if value is not None:
            options[name] = value
    return options
