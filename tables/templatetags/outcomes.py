"""The filters ``format_outcome`` and ``total_words``."""

from __future__ import annotations

from django import template

from tables.texts.outcomes import format_outcome
from tables.texts.totals import total_words

register = template.Library()
register.filter(format_outcome)
register.filter(total_words)
