"""Forms for actions on players."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.ledger.adjustments import MOST
from accounts.lib.form_fields import LinesField, MoneyField
from accounts.models import User
from tables.operators.forms import MOST_REASON, ReasonField, ReasonForm
from tables.operators.players.moderation import DURATIONS

_LONGEST_REASON: Final = User._meta.get_field("frozen_because").max_length


class SearchForm(forms.Form):
    """The search for players. ``after`` is the cursor of the page."""

    q = forms.CharField(label=_("Name, number or e-mail address"), max_length=254, required=False)
    after = forms.CharField(max_length=20, required=False, widget=forms.HiddenInput)


class PublicReasonForm(forms.Form):
    """A reason that the player reads."""

    reason = ReasonField(max_length=_LONGEST_REASON, help_text=_("The player sees this text."))


class SilenceForm(ReasonForm):
    """The duration and the reason of a silence."""

    lasts = forms.ChoiceField(
        label=_("For how long"),
        choices=[(value, label) for value, _time, label in DURATIONS],
        widget=forms.RadioSelect,
        initial="1d",
    )
    field_order = ("lasts", "reason")

    def clean_lasts(self) -> dt.timedelta | None:
        """The chosen time; ``None`` until it is taken back."""
        return {value: time for value, time, _label in DURATIONS}[self.cleaned_data["lasts"]]


class AdjustForm(PublicReasonForm):
    """Amount, direction and reason of an adjustment. ``key`` identifies the form, against repeats."""

    way = forms.ChoiceField(
        label=_("Action"),
        choices=[("give", _("Add chips")), ("take", _("Deduct chips"))],
        widget=forms.RadioSelect,
        initial="give",
    )
    amount = MoneyField(label=_("Amount"), least=1, most=MOST)
    key = forms.UUIDField(widget=forms.HiddenInput)

    field_order = ("way", "amount", "reason", "key")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial.setdefault("key", uuid.uuid4())

    @property
    def hundredths(self) -> int:
        """The amount in hundredths; negative for a debit."""
        amount: int = self.cleaned_data["amount"]
        return amount if self.cleaned_data["way"] == "give" else -amount


class NoteForm(forms.Form):
    """A note on a player. ``key`` identifies the form, against repeats."""

    text = LinesField(
        label=_("Note"),
        max_length=MOST_REASON,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text=_("Only operators see it. You can't change or delete it later."),
    )
    key = forms.Field(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial.setdefault("key", uuid.uuid4())

    def clean_key(self) -> uuid.UUID:
        """Replace an invalid key by a new one."""
        try:
            return uuid.UUID(str(self.cleaned_data["key"]))
        except ValueError:
            return uuid.uuid4()
