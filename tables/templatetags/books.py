"""Filters for numbers in the revenue tables."""

from __future__ import annotations

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def percent(value: float | None) -> str:
    """Format a percentage: ``-2.47 %`` with a minus sign; a dash for ``None``."""
    if value is None:
        return "–"
    rounded = round(value, 2)  # the format alone would truncate
    sign = "−" if rounded < 0 else ""
    return f"{sign}{number_format(abs(rounded), decimal_pos=2)}\N{NO-BREAK SPACE}%"


@register.filter
def many(value: int) -> str:
    """Format a whole number with thousands separators."""
    return number_format(value, decimal_pos=0, force_grouping=True)
