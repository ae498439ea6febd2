"""Forms that open, clone and edit tables, and fill racks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.lib.form_fields import MoneyField
from accounts.lib.money import format_money
from tables.engine.presets import PRESETS
from tables.lobby.forms import AS_PRESET, EditForm, TableForm, to_initial
from tables.models.invite_codes import generate_code, parse_code
from tables.operators.forms import ReasonField
from tables.operators.lists import TableListForm
from tables.operators.tables.rack_transfers import MOST_FILL
from tables.operators.tables.table_list import TableListFilters

_GROUPS = (
    (_("The table"), ("name", "rules_key", "seats", "is_private", "is_locked", "has_chat",
                       "has_hints", "has_behind")),
    (_("The clocks"), ("betting_seconds", "turn_seconds", "time_bank_seconds")),
    (_("Bets"), ("minimum", "maximum", "no_maximum", "natural_pays")),
    (_("The cards and the dealer"), ("decks", "hits_soft_17", "peek", "twenty_one_stands")),
    (
        _("What a player may do"),
        ("double_down", "double_after_split", "max_hands", "split_aces_once", "insurance",
         "surrender"),
    ),
    (_("The rack"), ("fill_limit",)),
    (_("For the audit log"), ("reason",)),
)  # fmt: skip


class SiteTableForm(TableForm):
    """All settings of a table."""

    fill_limit = MoneyField(
        label=_("Automatic refill limit"), most=MOST_FILL, required=False,
        help_text=_(
            "How much the rack takes from the bank automatically before it waits for an "
            "operator. Default: no limit."
        ),
    )  # fmt: skip

    class Meta(TableForm.Meta):
        fields = (*TableForm.Meta.fields, "is_locked")
        labels = {
            "name": _("Name"),
            "rules_key": _("Rule set"),
            "is_private": _("Private: only people with the link can join"),
            "is_locked": _("Locked: nobody new can sit down"),
            "has_chat": _("People can chat"),
            "has_hints": _("Players may turn on hints"),
            "has_behind": _("Watchers may bet behind players"),
            "betting_seconds": _("Seconds to bet"),
            "turn_seconds": _("Seconds for each decision"),
        }

        help_texts = {
            "is_private": _("Private rounds don't count on the leaderboard."),
        }

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by field of the table; see :data:`tables.game.pending_settings.SETTINGS`."""
        more = {name: self.cleaned_data[name] for name in ("is_locked", "fill_limit")}
        return {**super().settings, **more}

    def groups(self) -> list[tuple[Any, list[forms.BoundField]]]:
        """The fields in groups with headings, in their order on the page."""
        return [
            (heading, [self[name] for name in names if name in self.fields])
            for heading, names in _GROUPS
            if any(name in self.fields for name in names)
        ]


class NewTableForm(SiteTableForm):
    """Opens a table; a form that is sent twice has the same ``code`` and opens one."""

    code = forms.CharField(widget=forms.HiddenInput, max_length=20, required=False)

    def clean_code(self) -> str:
        """The code of the table's invite link; an invalid one is replaced."""
        return parse_code(self.cleaned_data["code"]) or generate_code()


class EditTableForm(EditForm, SiteTableForm):
    """Changes an open table, but not its rule set."""

    reason = ReasonField(required=False, help_text=_("Not shown to players."))


class WithdrawForm(forms.Form):
    """Withdraws the pending change of a table."""

    reason = ReasonField(required=False)
    made_from = forms.CharField(widget=forms.HiddenInput, max_length=40)


class FillForm(forms.Form):
    """Fills a rack. ``after`` is the rack's last action that the page knew, and ``previewed`` the
    balance that its preview showed.
    """

    amount = MoneyField(label=_("Chips from the bank"), least=100, most=MOST_FILL)
    reason = ReasonField()
    after = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    previewed = forms.IntegerField(widget=forms.HiddenInput, min_value=0, required=False)

    def set_previewed(self, balance: int) -> None:
        """Have the next page send the balance that this one shows, in hundredths."""
        self.data = {**self.data.dict(), "previewed": str(balance)}  # type: ignore[attr-defined]


class ReturnChipsForm(forms.Form):
    """Returns chips of a rack. ``after`` is the rack's last action that the page knew."""

    amount = MoneyField(label=_("Chips to return to the bank"), least=1, most=MOST_FILL)
    reason = ReasonField()
    after = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class TableFilterForm(TableListForm):
    """The filter of the list of tables."""

    player_label = _("Host")
    first_day_label = _("Last used from")
    last_day_label = _("Last used until")

    q = forms.CharField(label=_("Name"), max_length=40, required=False)
    rules = forms.ChoiceField(
        label=_("Rule set"), required=False,
        choices=[("", _("all")), *((key, _(rules.title)) for key, rules in PRESETS.items())],
    )  # fmt: skip
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[
            ("", _("open")), ("paused", _("paused")), ("empty", _("out of chips")),
            ("changing", _("with a pending change")),
            ("closed", _("closed")), ("all", _("all")),
        ],
    )  # fmt: skip

    @property
    def filters(self) -> TableListFilters:
        """The filter of a valid form. A table of this number is found in any state."""
        data = self.cleaned_data
        state = data["state"] or ("all" if data["table"] is not None else "")
        return TableListFilters(
            state, data["rules"], data["q"], data["table"], data["player"], self.times
        )


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[Any, str, str]]:
    """The differences between settings: label and both values in words."""
    form, was, will = SiteTableForm(), to_initial(before), to_initial(after)
    return [
        (field.label, _format_value(field, was.get(name)), _format_value(field, will.get(name)))
        for name, field in form.fields.items()
        if was.get(name) != will.get(name)
    ]


def _format_value(field: forms.Field, value: Any) -> str:
    if isinstance(field, forms.ChoiceField):
        return str(dict(field.choices).get("" if value is None else value, value))  # type: ignore[arg-type]  # no callable here
    if isinstance(field, forms.BooleanField):
        return str(_("yes") if value else _("no"))
    if isinstance(field, MoneyField):
        return str(_("any amount")) if value is None else format_money(value)
    return str(AS_PRESET[1]) if value is None else str(value)
