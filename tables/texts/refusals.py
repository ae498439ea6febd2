"""Refusals of the engine, translated.

The engine is independent of Django, so its sentences are English: in :class:`Text` and in the
templates of refusals. They are translated here before they are shown.
"""

from __future__ import annotations

from django.utils.translation import gettext

from tables.engine.errors import ExplainedError, Text


def translate_refusal(refusal: ExplainedError) -> str:
    """The translated sentence of a refusal."""
    values = {
        name: gettext(value) if isinstance(value, Text) else value
        for name, value in refusal.values.items()
    }
    return str(gettext(refusal.template) % values)
