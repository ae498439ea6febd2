"""Form fields shared by several pages."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy

from accounts.lib import names
from accounts.lib.colours import COLOURS
from accounts.lib.money import format_money, plain_units
from accounts.lib.plain_text import to_plain_line, to_plain_text

_DECIMAL: Final = re.compile(r"-?[0-9]*\.?[0-9]+")


class DayInput(forms.DateInput):
    """A date input. Invalid values are not rendered, because browsers reject them."""

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
    """A field of one plain line. It has no ``maxlength``, which would cut without a word."""

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """The attributes of its limits, without that of the length."""
        attributes: dict[str, Any] = super().widget_attrs(widget)
        attributes.pop("maxlength", None)
        return attributes

    def clean(self, value: Any) -> str:
        """Clean the line; a required field must not be empty after that."""
        line = self.to_plain(super().clean(value))
        self.validate(line)
        self.run_validators(line)  # Cleaning may lengthen it.
        return line

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether what is stored would change: browsers send other line ends, for one."""
        return super().has_changed(initial, self.to_plain(data or ""))

    def to_plain(self, text: str) -> str:
        """The visible part of ``text``."""
        return to_plain_line(text)


class NameField(forms.CharField):
    """A player's name as it is stored. It has no ``maxlength``, which would cut without a word."""

    def __init__(self, *, autocomplete: str = "username", **options: Any) -> None:
        attributes = {"autocapitalize": "none", "spellcheck": "false", "dir": "auto"}
        self.widget = forms.TextInput(attrs={"autocomplete": autocomplete} | attributes)
        options.setdefault("label", gettext_lazy("Name"))
        super().__init__(**options)

    def to_python(self, value: Any) -> str:
        return names.normalized(super().to_python(value) or "")


class ColourField(forms.ChoiceField):
    """The colour of a player's name."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("label", gettext_lazy("Colour of your name"))
        super().__init__(choices=list(COLOURS.items()), widget=forms.RadioSelect, **options)


class LinesField(LineField):
    """A field of one or more plain lines."""

    def to_plain(self, text: str) -> str:
        """The visible part of ``text``, line by line."""
        return to_plain_text(text)


class MoneyField(forms.DecimalField):
    """An amount, shown in units such as 1,000.50, with a value in hundredths."""

    def __init__(self, *, most: int, least: int = 0, **options: Any) -> None:
        """Create the field; ``least`` and ``most`` are in hundredths."""
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(
            widget=widget,
            decimal_places=2,
            min_value=Decimal(least) / 100,
            max_value=Decimal(most) / 100,
            **options,
        )

    def prepare_value(self, value: Any) -> Any:
        """Format hundredths in units; keep invalid input."""
        return format_money(value) if isinstance(value, int) else value

    def to_python(self, value: Any) -> Any:
        """Parse units, with or without thousands separators; a decimal comma is understood.

        ``Decimal`` would read more: exponents, underscores, and the digits of any script.
        """
        if not isinstance(value, str):
            return super().to_python(value)
        units = plain_units(value)
        if units.strip() and not _DECIMAL.fullmatch(units):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(units.strip())

    def clean(self, value: Any) -> int | None:
        """Return hundredths."""
        units = super().clean(value)
        return None if units is None else int(units * 100)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.clean(data) != initial)
        except forms.ValidationError:
            return True
