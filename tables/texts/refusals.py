"""Refusals of the engine, translated.

The engine is independent of Django, so its sentences are English: in :class:`Words` and in the
templates of refusals. They are translated here before they are shown.
"""

from __future__ import annotations

from django.utils.translation import gettext

from tables.engine.errors import Explained, Words


def translate_refusal(refusal: Explained) -> str:
    """The translated sentence of a refusal."""
    values = {
        name: gettext(value) if isinstance(value, Words) else value
        for name, value in refusal.values.items()
    }
    return str(gettext(refusal.template) % values)
