"""Form fields that more than one page has."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import forms


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
