"""The filters ``outcome_words`` and ``total_words``."""

from __future__ import annotations

from django import template

from tables.texts.outcomes import format_outcome
from tables.texts.totals import total_words

register = template.Library()
register.filter("outcome_words", format_outcome)
register.filter(total_words)
