"""The ``money`` filter."""

from __future__ import annotations

from django import template

from accounts.lib.money import format_money

register = template.Library()
register.filter("money", format_money)
