"""Forms for actions on players."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any, Final

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.ledger.adjustments import MOST
from accounts.lib import names
from accounts.lib.form_fields import LinesField, MoneyField
from accounts.lists.forms import FIRST_DAY, LAST_DAY
from accounts.lists.player_list import PlayerFilters
from accounts.models import User
from tables.models import Seat
from tables.operators.forms import MOST_REASON, ReasonField, ReasonForm
from tables.operators.lists import TableListForm
from tables.operators.players.moderation import DURATIONS
from tables.records.rounds import RoundFilters
from tables.records.statement import KINDS, StatementFilters
from tables.records.statement_text import KIND_WORDS

_LONGEST_REASON: Final = User._meta.get_field("frozen_because").max_length


class SearchForm(TableListForm):
    """The search for players. ``after`` is the cursor of the page."""

    has_player = False
    table_label = _("Seated at table")
    first_day_label = _("Joined from")
    last_day_label = _("Joined until")

    q = forms.CharField(
        label=_("Present or former name, number or e-mail address"), max_length=254, required=False
    )
    after = forms.CharField(
        max_length=names.LONGEST_FOLDED, required=False, widget=forms.HiddenInput
    )

    @property
    def filters(self) -> PlayerFilters:
        """The filter of a valid form."""
        data, seats = self.cleaned_data, Seat.objects.filter(table=self.cleaned_data["table"])
        ids = None if data["table"] is None else list(seats.values_list("user", flat=True))
        return PlayerFilters(data["q"], self.times, ids)


class PlayerRoundsForm(TableListForm):
    """The filter of one player's rounds. ``before`` is the cursor of the page."""

    has_player = False

    before = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)

    @property
    def filters(self) -> RoundFilters:
        """The filter of a valid form."""
        data, zone = self.cleaned_data, timezone.get_current_timezone()
        since, until = data[FIRST_DAY], data[LAST_DAY]
        return RoundFilters(table=data["table"], since=since, until=until, zone=zone)


class PlayerStatementForm(TableListForm):
    """The filter of one player's statement."""

    has_player = False

    kind = forms.ChoiceField(
        label=_("Kind"),
        required=False,
        choices=[("", _("all kinds")), *((kind.value, KIND_WORDS[kind]) for kind in KINDS)],
    )

    @property
    def filters(self) -> StatementFilters:
        """The filter of a valid form."""
        data, zone = self.cleaned_data, timezone.get_current_timezone()
        days = (data[FIRST_DAY], data[LAST_DAY])
        return StatementFilters(data["kind"], *days, zone, data["table"])


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
