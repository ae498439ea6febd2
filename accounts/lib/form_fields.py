"""Form fields that several pages share."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from django import forms

from accounts.lib.money import format_money
from accounts.lib.plain_text import plain_line, plain_text


class DayInput(forms.DateInput):
    """A day as browsers let one be picked. What is none is not written back: they reject it."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")

    def format_value(self, value: Any) -> str | None:
        text = super().format_value(value)
        try:
            return dt.date.fromisoformat(text or "").isoformat()
        except ValueError:
            return None


class LineField(forms.CharField):
    """One plain line."""

    def clean(self, value: Any) -> str:
        """What is left of the line must still be something, where something is needed."""
        line = self.plain(super().clean(value))
        self.validate(line)
        self.run_validators(line)  # It may be longer than what was sent.
        return line

    def plain(self, text: str) -> str:
        """What can be seen of ``text``."""
        return plain_line(text)


class LinesField(LineField):
    """One plain line or more."""

    def plain(self, text: str) -> str:
        """What can be seen of ``text``, line by line."""
        return plain_text(text)


class MoneyField(forms.DecimalField):
    """An amount that is read and written in units, such as 1,000.50, and kept in hundredths."""

    def __init__(self, *, most: int, least: int = 0, **options: Any) -> None:
        """``least`` and ``most`` in hundredths."""
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(
            widget=widget,
            decimal_places=2,
            min_value=Decimal(least) / 100,
            max_value=Decimal(most) / 100,
            **options,
        )

    def prepare_value(self, value: Any) -> Any:
        """Hundredths as units; what somebody wrote stays as it is."""
        return format_money(value) if isinstance(value, int) else value

    def to_python(self, value: Any) -> Any:
        """Units, with or without commas between thousands."""
        return super().to_python(value.replace(",", "") if isinstance(value, str) else value)

    def clean(self, value: Any) -> int | None:
        """Hundredths."""
        units = super().clean(value)
        return None if units is None else int(units * 100)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.clean(data) != initial)
        except forms.ValidationError:
            return True
