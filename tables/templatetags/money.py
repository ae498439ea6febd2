"""The filters ``money``, and ``signed_money`` with a plus where something was won."""

from __future__ import annotations

from django import template

from accounts.lib.money import format_money

register = template.Library()
register.filter("money", format_money)


@register.filter
def signed_money(amount: int) -> str:
    """An amount in hundredths, such as "+12.50"."""
    return f"{'+' if amount > 0 else ''}{format_money(amount)}"
