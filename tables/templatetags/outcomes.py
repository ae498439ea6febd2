"""The ``outcome_words`` filter."""

from __future__ import annotations

from django import template

from tables.texts.outcomes import format_outcome

register = template.Library()
register.filter("outcome_words", format_outcome)
