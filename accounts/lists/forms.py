"""The filter of a list: days, table and player, with the fields of the list itself.

Invalid input shows a sentence, and the list is empty.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, ClassVar, Final

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.ledger import days
from accounts.lib import names
from accounts.lib.form_fields import DayInput
from accounts.lib.ids import LARGEST_ID, parse_id
from accounts.lists.id_ranges import TimeRange
from accounts.lists.players import FoundPlayer, find_player
from accounts.models import User

FIRST_DAY, LAST_DAY = "from", "to"
_FIRST_YEAR, _LAST_YEAR = 2000, 9000
_PLACE: Final = ("before", "after")
"""The cursor of a page, which is no filter."""
_INVALID_DAY = {"invalid": gettext_lazy("Enter a valid date.")}


def _day_field(label: Any) -> forms.DateField:
    return forms.DateField(
        label=label, required=False, widget=DayInput(), input_formats=["%Y-%m-%d"],
        error_messages=_INVALID_DAY,
    )  # fmt: skip


class ListForm(forms.Form):
    """The filter of a list. A list without a time, a table or a player leaves that field out."""

    use_required_attribute = False

    first_day_label: ClassVar[Any] = gettext_lazy("From")
    last_day_label: ClassVar[Any] = gettext_lazy("Until")
    table_label: ClassVar[Any] = gettext_lazy("Table number")
    player_label: ClassVar[Any] = gettext_lazy("Player")
    has_days: ClassVar[bool] = True
    has_table: ClassVar[bool] = True
    has_player: ClassVar[bool] = True

    before: forms.Field = forms.IntegerField(
        required=False, min_value=1, max_value=LARGEST_ID, widget=forms.HiddenInput
    )

    def __init__(self, data: Any, **options: Any) -> None:
        super().__init__(data, label_suffix="", **options)
        self.found: FoundPlayer | None = None
        if self.has_table:
            self.fields["table"] = forms.CharField(
                label=self.table_label, required=False, max_length=20,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "size": "8"}),
            )  # fmt: skip
        if self.has_player:
            self.fields["player"] = forms.CharField(
                label=self.player_label, required=False, max_length=names.MOST_CODE_POINTS,
                widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
            )  # fmt: skip
        if self.has_days:
            self.fields[FIRST_DAY] = _day_field(self.first_day_label)
            self.fields[LAST_DAY] = _day_field(self.last_day_label)

    def clean_table(self) -> int | None:
        """The number of a table: ``7``, or ``table:7`` as in the audit log."""
        text: str = self.cleaned_data["table"].strip()
        if not text:
            return None
        number = parse_id(text.removeprefix("table:"))
        if number is None or not self.is_table(number):
            raise forms.ValidationError(_("No table has this number."))
        return number

    def is_table(self, number: int) -> bool:
        """Whether there is such a table; overridden where tables are known."""
        return number > 0

    def clean_player(self) -> User | None:
        """The player of a present or former name, or of a number."""
        words: str = self.cleaned_data["player"].strip()
        if not words:
            return None
        self.found = find_player(words)
        if self.found is None:
            raise forms.ValidationError(_("No player has or had that name."))
        return self.found.user

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        since, until = cleaned.get(FIRST_DAY), cleaned.get(LAST_DAY)
        for name, day in ((FIRST_DAY, since), (LAST_DAY, until)):
            if day is not None and not _FIRST_YEAR <= day.year < _LAST_YEAR:
                self.add_error(name, _("Enter a valid date."))
        if since and until and until < since:
            self.add_error(LAST_DAY, _("The last day is before the first."))
        return cleaned

    @property
    def note(self) -> str:
        """A sentence about the former names of the player; empty without one."""
        return self.found.note if self.found is not None else ""

    @property
    def times(self) -> TimeRange:
        """The times of the chosen days in the viewer's zone. The form is valid."""
        zone = timezone.get_current_timezone()
        since: dt.date | None = self.cleaned_data.get(FIRST_DAY)
        until: dt.date | None = self.cleaned_data.get(LAST_DAY)
        return TimeRange(
            None if since is None else days.day_begins(since, zone),
            None if until is None else days.day_ends(until, zone),
        )

    @property
    def logged(self) -> dict[str, str]:
        """The input for the audit log: a player by number, because a name may be deleted."""
        values = self.cleaned_data
        return {
            name: f"user:{values[name].pk}" if isinstance(values.get(name), User) else value
            for name, value in self.query.items()
        }

    @property
    def query(self) -> dict[str, str]:
        """The input as query parameters, without the cursor of the page."""
        named = ((name, self.data.get(self.add_prefix(name), "")) for name in self.fields)
        return {name: value for name, value in named if value and name not in _PLACE}
