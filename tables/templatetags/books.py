"""Filters for numbers in the revenue tables."""

from __future__ import annotations

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def percent(value: float | None) -> str:
    """A share in per cent: ``-2.47 %`` with a true minus; a dash where there is none."""
    if value is None:
        return "–"
    rounded = round(value, 2)  # the format alone would cut off
    sign = "−" if rounded < 0 else ""
    return f"{sign}{number_format(abs(rounded), decimal_pos=2)}\N{NO-BREAK SPACE}%"


@register.filter
def many(value: int) -> str:
    """A whole number with its thousands apart."""
    return number_format(value, decimal_pos=0, force_grouping=True)
