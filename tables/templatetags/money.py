"""The ``money`` filter."""

from __future__ import annotations

from django import template

from accounts.money import money

register = template.Library()
register.filter(money)
